/** Each rule names the direction of docs/ARCHITECTURE.md that it keeps, and why it is kept. */
module.exports = {
  forbidden: [
    {
      name: 'no-cycles',
      comment: 'Two modules that need each other are one module, or miss a third.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'folders-need-each-other-one-way',
      comment: 'Two folders that import each other are one folder, or miss a third.',
      severity: 'error',
      scope: 'folder',
      from: { path: '^server/src' },
      to: { circular: true },
    },
    {
      name: 'shared-imports-valibot-only',
      comment: 'Contracts are read by server, client and scripts alike; anything more would tie them to one of these.',
      severity: 'error',
      from: { path: '^shared/src' },
      to: { pathNot: ['^shared/src', 'node_modules/valibot'] },
    },
    {
      name: 'domain-is-pure',
      comment: 'Rules are decided without the outside world, so that they can be read and tested as tables.',
      severity: 'error',
      from: { path: '^server/src/domain' },
      to: { pathNot: ['^server/src/domain', '^shared/src'] },
    },
    {
      name: 'ports-are-types',
      comment: 'A port says what is needed from outside; whoever imports more than its types has taken a part along.',
      severity: 'error',
      from: { path: '^server/src' },
      to: { path: '^server/src/ports', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'ports-stand-alone',
      comment:
        'Ports are written in terms of the domain, not of the adapters that implement them. Only rows are inferred from the tables, so that a column has one declaration.',
      severity: 'error',
      from: { path: '^server/src/ports', pathNot: '^server/src/ports/rows\\.ts$' },
      to: { pathNot: ['^server/src/(ports|domain)', '^shared/src'] },
    },
    {
      name: 'rows-are-inferred-from-tables',
      comment: 'Row types come from the tables and from nothing else.',
      severity: 'error',
      from: { path: '^server/src/ports/rows\\.ts$' },
      to: { pathNot: '^server/src/storage/schema/' },
    },
    {
      name: 'engine-knows-ports-only',
      comment: 'What goes on without a caller names what it needs in ports/; app.ts decides who provides it.',
      severity: 'error',
      from: { path: '^server/src/engine' },
      to: { path: '^server/src', pathNot: '^server/src/(engine|ports|domain)/' },
    },
    {
      name: 'operations-know-engine-and-ports',
      comment: 'An operation answers a caller by the engine and the ports; app.ts decides who provides them.',
      severity: 'error',
      from: { path: '^server/src/operations' },
      to: { path: '^server/src', pathNot: '^server/src/(operations|engine|ports|domain)/' },
    },
    {
      name: 'adapters-do-not-know-each-other',
      comment:
        'An adapter that reaches into another one cannot be replaced; what they share is a port or a domain word.',
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
        'A surface that reads the database or starts a process by itself has stepped around the gate. Templates are texts, shipped like the prompts that name them.',
      severity: 'error',
      from: { path: '^server/src/surfaces' },
      to: {
        path: '^server/src/(engine|storage|git|events|identity|agents|activity|streams|machine|screens|acp|definitions)/',
        pathNot: '^server/src/definitions/templates\\.ts$',
      },
    },
    {
      name: 'runner-stays-small',
      comment: 'The runner must outlive every server; whatever it loads has to be restarted with the agents in it.',
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
