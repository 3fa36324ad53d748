# An agent of the Agent Client Protocol that opens one conversation and then does nothing, in little memory.
while IFS= read -r line; do
  id=${line#*\"id\":}
  id=${id%%,*}
  case $line in
    *'"method":"initialize"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":1}}\n' "$id" ;;
    *'"method":"session/new"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{"sessionId":"idle"}}\n' "$id" ;;
  esac
done
