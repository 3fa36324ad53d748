const ENDINGS = {
  typescript: 'ts mts cts',
  tsx: 'tsx',
  javascript: 'js mjs cjs',
  jsx: 'jsx',
  json: 'json webmanifest',
  jsonc: 'jsonc json5',
  html: 'html htm',
  xml: 'xml svg plist xsd csproj',
  vue: 'vue',
  svelte: 'svelte',
  css: 'css',
  scss: 'scss',
  less: 'less',
  markdown: 'md markdown mdx',
  python: 'py pyi',
  go: 'go',
  rust: 'rs',
  java: 'java',
  kotlin: 'kt kts',
  scala: 'scala sc',
  csharp: 'cs',
  c: 'c h',
  cpp: 'cc cpp cxx hpp hh hxx cu',
  swift: 'swift',
  dart: 'dart',
  php: 'php',
  ruby: 'rb rake gemspec',
  lua: 'lua',
  elixir: 'ex exs',
  haskell: 'hs',
  zig: 'zig',
  shellscript: 'sh bash zsh',
  powershell: 'ps1 psm1',
  sql: 'sql',
  graphql: 'graphql gql',
  proto: 'proto',
  yaml: 'yml yaml',
  toml: 'toml',
  ini: 'ini cfg conf properties editorconfig',
  terraform: 'tf tfvars hcl',
  docker: 'dockerfile',
  make: 'mk',
  diff: 'diff patch',
} as const;

/** A language that can be highlighted. */
export type Language = keyof typeof ENDINGS;

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
  Object.entries(ENDINGS).flatMap(([language, endings]) =>
    endings.split(' ').map((ending) => [ending, language as Language] as const),
  ),
);

/** Returns the language of a file by its name, or undefined. */
export function languageOf(path: string): Language | undefined {
  const name = (path.split('/').at(-1) ?? '').toLowerCase();
  const ending = name.split('.').at(-1) ?? '';
  return BY_NAME[name] ?? (ending === name ? undefined : BY_ENDING.get(ending));
}
