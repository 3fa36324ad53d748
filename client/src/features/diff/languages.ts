import type { LanguageRegistration } from 'shiki/core';

interface Definition {
  /** File name endings, separated by spaces. */
  endings: string;
  /** Loads the grammar, and the grammars that it embeds. */
  grammar(): Promise<{ default: LanguageRegistration[] }>;
}

export const LANGUAGES = {
  typescript: { endings: 'ts mts cts', grammar: () => import('shiki/langs/typescript.mjs') },
  tsx: { endings: 'tsx', grammar: () => import('shiki/langs/tsx.mjs') },
  javascript: { endings: 'js mjs cjs', grammar: () => import('shiki/langs/javascript.mjs') },
  jsx: { endings: 'jsx', grammar: () => import('shiki/langs/jsx.mjs') },
  json: { endings: 'json webmanifest', grammar: () => import('shiki/langs/json.mjs') },
  jsonc: { endings: 'jsonc json5', grammar: () => import('shiki/langs/jsonc.mjs') },
  html: { endings: 'html htm', grammar: () => import('shiki/langs/html.mjs') },
  xml: { endings: 'xml svg plist xsd csproj', grammar: () => import('shiki/langs/xml.mjs') },
  vue: { endings: 'vue', grammar: () => import('shiki/langs/vue.mjs') },
  svelte: { endings: 'svelte', grammar: () => import('shiki/langs/svelte.mjs') },
  css: { endings: 'css', grammar: () => import('shiki/langs/css.mjs') },
  scss: { endings: 'scss', grammar: () => import('shiki/langs/scss.mjs') },
  less: { endings: 'less', grammar: () => import('shiki/langs/less.mjs') },
  markdown: { endings: 'md markdown mdx', grammar: () => import('shiki/langs/markdown.mjs') },
  python: { endings: 'py pyi', grammar: () => import('shiki/langs/python.mjs') },
  go: { endings: 'go', grammar: () => import('shiki/langs/go.mjs') },
  rust: { endings: 'rs', grammar: () => import('shiki/langs/rust.mjs') },
  java: { endings: 'java', grammar: () => import('shiki/langs/java.mjs') },
  kotlin: { endings: 'kt kts', grammar: () => import('shiki/langs/kotlin.mjs') },
  scala: { endings: 'scala sc', grammar: () => import('shiki/langs/scala.mjs') },
  csharp: { endings: 'cs', grammar: () => import('shiki/langs/csharp.mjs') },
  c: { endings: 'c h', grammar: () => import('shiki/langs/c.mjs') },
  cpp: { endings: 'cc cpp cxx hpp hh hxx cu', grammar: () => import('shiki/langs/cpp.mjs') },
  swift: { endings: 'swift', grammar: () => import('shiki/langs/swift.mjs') },
  dart: { endings: 'dart', grammar: () => import('shiki/langs/dart.mjs') },
  php: { endings: 'php', grammar: () => import('shiki/langs/php.mjs') },
  ruby: { endings: 'rb rake gemspec', grammar: () => import('shiki/langs/ruby.mjs') },
  lua: { endings: 'lua', grammar: () => import('shiki/langs/lua.mjs') },
  elixir: { endings: 'ex exs', grammar: () => import('shiki/langs/elixir.mjs') },
  haskell: { endings: 'hs', grammar: () => import('shiki/langs/haskell.mjs') },
  zig: { endings: 'zig', grammar: () => import('shiki/langs/zig.mjs') },
  shellscript: { endings: 'sh bash zsh', grammar: () => import('shiki/langs/shellscript.mjs') },
  powershell: { endings: 'ps1 psm1', grammar: () => import('shiki/langs/powershell.mjs') },
  sql: { endings: 'sql', grammar: () => import('shiki/langs/sql.mjs') },
  graphql: { endings: 'graphql gql', grammar: () => import('shiki/langs/graphql.mjs') },
  proto: { endings: 'proto', grammar: () => import('shiki/langs/proto.mjs') },
  yaml: { endings: 'yml yaml', grammar: () => import('shiki/langs/yaml.mjs') },
  toml: { endings: 'toml', grammar: () => import('shiki/langs/toml.mjs') },
  ini: { endings: 'ini cfg conf properties editorconfig', grammar: () => import('shiki/langs/ini.mjs') },
  terraform: { endings: 'tf tfvars hcl', grammar: () => import('shiki/langs/terraform.mjs') },
  docker: { endings: 'dockerfile', grammar: () => import('shiki/langs/docker.mjs') },
  make: { endings: 'mk', grammar: () => import('shiki/langs/make.mjs') },
  diff: { endings: 'diff patch', grammar: () => import('shiki/langs/diff.mjs') },
} as const satisfies Record<string, Definition>;

export type Language = keyof typeof LANGUAGES;

const BY_NAME: Readonly<Record<string, Language>> = {
  dockerfile: 'docker',
  containerfile: 'docker',
  makefile: 'make',
  gemfile: 'ruby',
  rakefile: 'ruby',
  'cargo.lock': 'toml',
  'tsconfig.json': 'jsonc',
};
const BY_ENDING = new Map(
  Object.entries(LANGUAGES).flatMap(([language, { endings }]) =>
    endings.split(' ').map((ending) => [ending, language as Language] as const),
  ),
);

/** Returns the language of a file by its name, or undefined. */
export function languageOf(path: string): Language | undefined {
  const name = (path.split('/').at(-1) ?? '').toLowerCase();
  const ending = name.split('.').at(-1) ?? '';
  return BY_NAME[name] ?? (ending === name ? undefined : BY_ENDING.get(ending));
}

const ALIASES: Readonly<Record<string, Language>> = { console: 'shellscript', shell: 'shellscript', golang: 'go' };

/**
 * Returns the language of a code block by the name after the block's opening fence, such as `ts` or `typescript`;
 * undefined if unknown.
 */
export function languageNamed(name: string): Language | undefined {
  const lower = name.toLowerCase();
  if (Object.hasOwn(LANGUAGES, lower)) return lower as Language;
  return (Object.hasOwn(ALIASES, lower) ? ALIASES[lower] : undefined) ?? BY_ENDING.get(lower);
}
