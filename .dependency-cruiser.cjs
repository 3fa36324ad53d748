/** Each rule enforces one direction of imports from docs/ARCHITECTURE.md. Its `comment` says why. */
module.exports = {
  forbidden: [
    {
      name: 'no-cycles',
      comment: 'Modules must not import each other. Merge them, or move what both need into a third module.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'folders-need-each-other-one-way',
      comment: 'Folders must not import each other. Merge them, or move what both need into a third folder.',
      severity: 'error',
      scope: 'folder',
      from: { path: '^server/src' },
      to: { circular: true },
    },
    {
      name: 'shared-imports-valibot-only',
      comment: 'Server, client and scripts all import the contracts, so the contracts must not depend on any of them.',
      severity: 'error',
      from: { path: '^shared/src' },
      to: { pathNot: ['^shared/src', 'node_modules/valibot'] },
    },
    {
      name: 'domain-is-pure',
      comment:
        'The rules of the domain must not need a database, process or network, so that they can be tested with tables of cases.',
      severity: 'error',
      from: { path: '^server/src/domain' },
      to: { pathNot: ['^server/src/domain', '^shared/src'] },
    },
    {
      name: 'ports-are-types',
      comment:
        'Ports are only types, so every import of a port must be type-only. A value would be a part of an implementation.',
      severity: 'error',
      from: { path: '^server/src' },
      to: { path: '^server/src/ports', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'ports-stand-alone',
      comment:
        'Ports use the types of the domain, not those of the adapters that implement them. Only ports/rows.ts infers row types from the tables, so that each column is declared once.',
      severity: 'error',
      from: { path: '^server/src/ports', pathNot: '^server/src/ports/rows\\.ts$' },
      to: { pathNot: ['^server/src/(ports|domain)', '^shared/src'] },
    },
    {
      name: 'rows-are-inferred-from-tables',
      comment: 'ports/rows.ts infers row types from the tables only. Declare other types in another port.',
      severity: 'error',
      from: { path: '^server/src/ports/rows\\.ts$' },
      to: { pathNot: '^server/src/storage/schema/' },
    },
    {
      name: 'engine-knows-ports-only',
      comment: 'The engine imports ports, not adapters. app.ts passes the adapters to the engine.',
      severity: 'error',
      from: { path: '^server/src/engine' },
      to: { path: '^server/src', pathNot: '^server/src/(engine|ports|domain)/' },
    },
    {
      name: 'operations-know-engine-and-ports',
      comment: 'Operations import only the engine and the ports. app.ts passes them the adapters.',
      severity: 'error',
      from: { path: '^server/src/operations' },
      to: { path: '^server/src', pathNot: '^server/src/(operations|engine|ports|domain)/' },
    },
    {
      name: 'adapters-do-not-know-each-other',
      comment:
        'An adapter that imports another adapter cannot be replaced on its own. Move shared code to ports/ or domain/.',
      severity: 'error',
      from: {
        path: '^server/src/(storage|runner|git|events|identity|agents|activity|streams|machine|screens|acp|definitions)/',
      },
      to: {
        path: '^server/src',
        pathNot: '^server/src/($1|ports|domain)/',
      },
    },
    {
      name: 'surfaces-go-through-operations',
      comment:
        'A surface that reads the database or starts a process itself bypasses the gate, which checks every call. The templates of orchestrations may be imported, because they only produce texts.',
      severity: 'error',
      from: { path: '^server/src/surfaces' },
      to: {
        path: '^server/src/(engine|storage|git|events|identity|agents|activity|streams|machine|screens|acp|definitions)/',
        pathNot: '^server/src/definitions/templates\\.ts$',
      },
    },
    {
      name: 'runner-stays-small',
      comment:
        'The runner outlives every server. An update of code that the runner loads requires a restart of the runner and its agents.',
      severity: 'error',
      from: { path: '^server/src/runner/program' },
      to: {
        pathNot: [
          '^server/src/runner',
          '^shared/src',
          'node_modules/node-pty',
          'node_modules/valibot',
          '^(node:)?[a-z_/]+$',
        ],
      },
    },
    {
      name: 'scripted-agent-is-a-program',
      comment: 'The server starts the scripted agent by the path of its program, like every other agent.',
      severity: 'error',
      from: { path: '^server/src', pathNot: '^server/src/scripted-agent/' },
      to: { path: '^server/src/scripted-agent/' },
    },
    {
      name: 'scripted-agent-knows-shared-only',
      comment: 'The scripted agent reaches the console through its public interfaces, like every other agent.',
      severity: 'error',
      from: { path: '^server/src/scripted-agent/' },
      to: { path: '^server/src', pathNot: '^server/src/scripted-agent/' },
    },
    {
      name: 'client-knows-shared-only',
      comment: 'The browser bundle must never contain server code.',
      severity: 'error',
      from: { path: '^client/src' },
      to: { path: '^server/src' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsConfig: { fileName: 'tsconfig.json' },
    parser: 'tsc',
    cache: { folder: 'node_modules/.cache/dependency-cruiser', strategy: 'content' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default'],
      extensions: ['.ts', '.tsx', '.js'],
    },
  },
};
