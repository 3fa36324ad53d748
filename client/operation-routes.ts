import { fileURLToPath } from 'node:url';
import { type Plugin, runnerImport } from 'vite';
import { FIRST_PAGE_OPERATIONS } from './src/api/first-page-operations.ts';

type Table = typeof import('../shared/src/operations/table.ts');
type Schemas = typeof import('../server/src/surfaces/json-schema.ts');
type Contract = Table['CONTRACTS'][number];

const file = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const TABLE = file('../shared/src/operations/table.ts');
/** Module that converts the schemas of operations to JSON Schema. */
const SCHEMAS = file('../server/src/surfaces/json-schema.ts');

/** Source text of each virtual module. */
const MODULES: Readonly<Record<string, (contracts: readonly Contract[]) => Promise<string>>> = {
  'virtual:operation-routes': async (contracts) => `export const ROUTES = ${JSON.stringify(routesOf(contracts))};`,
  'virtual:operation-routes/first-page': async (contracts) => {
    const called = contracts.filter(({ name }) => FIRST_PAGE_OPERATIONS.some((each) => each === name));
    return `export const FIRST_PAGE_ROUTES = ${JSON.stringify(routesOf(called))};`;
  },
  'virtual:operation-forms': async (contracts) => {
    const { module } = await runnerImport<Schemas>(SCHEMAS);
    const forms = contracts.map(({ name, summary, effect, access, ids, cli, input }) => [
      name,
      {
        summary,
        effect,
        access,
        ids,
        command: cli?.command,
        positional: cli?.positional,
        input: module.inputSchema(input),
      },
    ]);
    return `export const FORMS = ${JSON.stringify(Object.fromEntries(forms))};`;
  },
};

function routesOf(contracts: readonly Contract[]): Record<string, string> {
  return Object.fromEntries(contracts.map(({ name, rest }) => [name, `${rest.method} ${rest.path}`]));
}

/**
 * Serves parts of the operation table as virtual modules. `virtual:operation-routes` holds the method and path of each
 * operation, without the large schemas, and `virtual:operation-routes/first-page` only those that the first page calls.
 * `virtual:operation-forms` holds the input forms.
 */
export function operationRoutes(): Plugin {
  return {
    name: 'operation-routes',
    resolveId: (id) => (id in MODULES ? `\0${id}` : undefined),
    async load(id) {
      const write = MODULES[id.replace('\0', '')];
      if (write === undefined || !id.startsWith('\0')) return undefined;
      const { module, dependencies } = await runnerImport<Table>(TABLE);
      for (const each of dependencies) this.addWatchFile(each);
      return write(module.CONTRACTS);
    },
  };
}
