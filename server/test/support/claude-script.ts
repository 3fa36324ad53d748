/**
 * A shell script that imitates Claude Code as far as its agent kind requires: it reports its start by a hook, connects
 * to the tools, shows an empty input box and answers `-p` with OK.
 */
export const CLAUDE_SCRIPT = `case "$1" in --version) echo 2.1.330; exit;; --help) echo usage; exit;; -p) echo OK; exit;; esac
rule=────────────────────────────────────────
while [ $# -gt 0 ]; do case "$1" in --mcp-config) mcp=$2;; --settings) settings=$2;; esac; shift; done
node -e '
const { url, headers } = Object.values(JSON.parse(fs.readFileSync(process.argv[1], "utf8")).mcpServers)[0];
const { hooks } = JSON.parse(fs.readFileSync(process.argv[2], "utf8"));
const start = hooks.SessionStart[0].hooks[0].command;
require("child_process").execFileSync("sh", ["-c", start], { input: JSON.stringify({ hook_event_name: "SessionStart" }) });
const body = { jsonrpc: "2.0", id: 1, method: "initialize", params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "x", version: "1" } } };
fetch(url, { method: "POST", headers: { ...headers, "content-type": "application/json", accept: "application/json, text/event-stream" }, body: JSON.stringify(body) });
' "$mcp" "$settings"
printf '%s\\n' "$rule" '❯ ' "$rule" '  ? for shortcuts'
exec sleep 600`;
