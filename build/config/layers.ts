/**
 * The import rules of all layers, in one place. test/architecture reads this table and every import. It fails for a
 * violation, a circle, and a permission that no import uses. `test` and every `*.test.ts` are not in the table: they
 * may import everything.
 */

export interface Permission {
  /** A folder with everything below it, a file, `*.<suffix>.ts` (files of the nouns), or `RULES`. */
  to: string;
  /** Only `import type` is allowed. */
  typesOnly?: true;
}

export interface Layer {
  /** The same forms. A file may import what any of its layers may. */
  path: string;
  /** One sentence: why the layer may import this. Imports inside the layer need no permission. */
  why: string;
  mayImport: Permission[];
}

const all = (...paths: string[]): Permission[] => paths.map((to) => ({ to }));
const types = (...paths: string[]): Permission[] => paths.map((to) => ({ to, typesOnly: true }));

/** The files of the nouns that hold their rules: those without a suffix, and `*.service.ts`. */
export const RULES = 'rules of the nouns';

export const LAYERS: Layer[] = [
  {
    path: 'electron/main',
    why: 'The shell starts the server, shows its pages and uses only what crosses the process border.',
    mayImport: all('electron/rules', 'electron/server-process', 'server/contract'),
  },
  {
    path: 'electron/rules',
    why: 'Decisions of the shell, without Electron and without the disk; keys and addresses are the dashboard’s own.',
    mayImport: [
      ...all('server/contract', '*.contract.ts', 'renderer/lib/key-map.ts', 'renderer/lib/paths.ts'),
      ...types('electron/server-process'),
    ],
  },
  {
    path: 'electron/server-process',
    why: 'Plain Node code that is tested without Electron; it speaks the shell messages and the dashboard’s API.',
    mayImport: all('electron/rules', 'server/contract', '*.contract.ts', 'renderer/lib/paths.ts'),
  },
  {
    path: 'electron/preload',
    why: 'The bridge is one small file; its shape is part of the contract.',
    mayImport: types('server/contract'),
  },
  {
    path: 'renderer/app',
    why: 'Puts the screens together.',
    mayImport: all('renderer/features', 'renderer/components', 'renderer/api', 'renderer/lib'),
  },
  {
    path: 'renderer/features',
    why: 'A screen consists of components and data; screens never import each other.',
    mayImport: all('renderer/components', 'renderer/api', 'renderer/lib'),
  },
  {
    path: 'renderer/connect',
    why: 'The connect page has its own bundle, which must stay small.',
    mayImport: all('renderer/components', 'renderer/api', 'renderer/lib'),
  },
  {
    path: 'renderer/components',
    why: 'Presentational components without data access; types of what they show come from the contract.',
    mayImport: [...all('renderer/lib'), ...types('renderer/api')],
  },
  {
    path: 'renderer/api',
    why: 'The typed client of the local API.',
    mayImport: all('renderer/lib', 'server/contract', '*.contract.ts'),
  },
  { path: 'renderer/lib', why: 'Pure helpers import nothing.', mayImport: [] },
  {
    path: 'server/contract',
    why: 'What crosses a process border depends on nothing but zod; the lists of all routes read the contracts of the nouns.',
    mayImport: all('*.contract.ts'),
  },
  {
    path: '*.contract.ts',
    why: 'What a noun sends and receives depends on nothing but zod.',
    mayImport: all('server/contract'),
  },
  {
    path: 'server/platform/lib',
    why: 'The lowest layer: knows no noun of the product.',
    mayImport: all('server/contract'),
  },
  {
    path: 'server/platform/database',
    why: 'Handles, transactions and the order of migrations know no table beyond their own.',
    mayImport: all('server/platform/lib'),
  },
  {
    path: '*.store.ts',
    why: 'The only SQL; secrets stay sealed here. A statement may join tables of several nouns.',
    mayImport: [...all('server/platform/database', 'server/platform/lib'), ...types('*.contract.ts')],
  },
  {
    path: '*.tables.ts',
    why: 'The tables of a noun, with their indexes and triggers: text only.',
    mayImport: [],
  },
  {
    path: 'server/schema',
    why: 'The tables of all nouns as one schema, and the changes since: the list of migrations.',
    mayImport: [...all('*.tables.ts'), ...types('server/platform/database')],
  },
  {
    path: 'server/platform/vault',
    why: 'Knows keys and sealed text, but not its meaning; independent except for the error class and files; the sealed key is a row and a file beside it.',
    mayImport: all(
      'server/platform/database/database-file.ts',
      'server/platform/lib/homeport-error.ts',
      'server/platform/lib/read-if-exists.ts',
      'server/platform/lib/sync-to-disk.ts',
    ),
  },
  {
    path: 'server/integrations/catalog',
    why: 'Provider definitions are data with a schema.',
    mayImport: all('server/platform/lib'),
  },
  {
    path: 'server/platform/scheduler',
    why: 'Jobs are rows of a table and may be enqueued inside the caller’s transaction.',
    mayImport: all('server/platform/database', 'server/platform/lib'),
  },
  {
    path: 'server/platform/sandbox',
    why: 'Runs a compiled function with a host object that it receives.',
    mayImport: all('functions/runtime', 'server/platform/lib'),
  },
  {
    path: 'server/functions/dry-run',
    why: 'Replaces the stores for runs that store nothing, and records and replays runs; the command line and the hub use it.',
    mayImport: [
      ...types('functions/runtime/bridge.ts', 'functions/compiler'),
      ...all('functions/testing', 'server/platform/sandbox', 'server/platform/lib'),
    ],
  },
  {
    path: 'server/practice',
    why: 'The built-in practice provider is independent of the hub: it shares only tools, and the form of catalogue entries.',
    mayImport: [...all('server/platform/lib'), ...types('server/integrations/catalog')],
  },
  {
    path: 'server/data/transfer',
    why: 'Moves an environment over the public API; the command line and the hub use it.',
    mayImport: [
      ...all('server/integrations/catalog', 'server/platform/lib', 'functions/compiler/function-path.ts'),
      ...types('functions/compiler'),
    ],
  },
  {
    path: 'server/agents/programs',
    why: 'Reads and writes the configuration of agent programs on this computer.',
    mayImport: all('server/platform/lib'),
  },
  {
    path: 'server/integrations/descriptions',
    why: 'Writes provider entries from API descriptions and compares them; the command line and the hub use it.',
    mayImport: all('server/integrations/catalog', 'server/platform/lib'),
  },
  {
    path: 'server/queries/engine',
    why: 'A process of its own: reads sealed records from the database file and answers SQL over them.',
    mayImport: [
      ...all(
        '*.store.ts',
        '*.contract.ts',
        'server/platform/database',
        'server/platform/lib',
        'server/records/records.service.ts',
      ),
    ],
  },
  {
    path: RULES,
    why: 'The logic of the product: every file of a noun without a suffix, and its services; app.ts passes engines in.',
    mayImport: [
      ...all(
        '*.store.ts',
        '*.contract.ts',
        'server/agents/programs',
        'server/functions/dry-run',
        'server/integrations/catalog',
        'server/integrations/descriptions',
        'server/queries/engine',
        'server/data/transfer',
        'server/platform/sandbox',
        'server/platform/scheduler',
        'server/platform/vault',
        'server/platform/database',
        'server/platform/lib',
        'server/contract',
      ),
    ],
  },
  {
    path: 'server/functions/deployments',
    why: 'The only folder that compiles.',
    mayImport: all('functions/compiler'),
  },
  {
    path: 'server/functions/runs',
    why: 'Implements the host side of the bridge protocol.',
    mayImport: [
      ...all('*.present.ts'),
      ...types('functions/runtime/bridge.ts'),
      ...all('functions/runtime/shrink-json.ts'),
    ],
  },
  {
    path: 'server/data',
    why: 'Tells from the path of a file which function it holds.',
    mayImport: all('functions/compiler/function-path.ts'),
  },
  {
    path: '*.present.ts',
    why: 'Wire forms of stored objects, for HTTP responses and for functions that read their connection.',
    mayImport: [
      ...types(RULES, 'server/integrations/catalog'),
      ...all('*.contract.ts', 'server/platform/lib', 'server/contract'),
    ],
  },
  {
    path: '*.job.ts',
    why: 'An entry point: it checks a payload and calls a service that it receives; a handler is a job kind of the scheduler.',
    mayImport: types(RULES, 'server/platform/scheduler'),
  },
  {
    path: 'server/platform/http',
    why: 'The pipeline of every request; it hands services that it receives to the routes.',
    mayImport: [...types(RULES), ...all('*.contract.ts', 'server/platform/lib', 'server/contract')],
  },
  {
    path: '*.api.ts',
    why: 'An entry point: it checks a request and calls a service that it receives; it shows provider definitions unchanged.',
    mayImport: [
      ...types(RULES, 'server/integrations/catalog'),
      ...all('*.contract.ts', '*.present.ts', 'server/platform/http', 'server/platform/lib', 'server/contract'),
    ],
  },
  {
    path: '*.dashboard.ts',
    why: 'An entry point for the windows of this computer: what only a window needs, beside the routes of the public API.',
    mayImport: [
      ...types(RULES, 'server/integrations/catalog'),
      ...all(
        '*.api.ts',
        '*.contract.ts',
        '*.present.ts',
        'server/dashboard/api',
        'server/platform/http',
        'server/platform/lib',
        'server/contract',
      ),
    ],
  },
  {
    path: 'server/dashboard/api',
    why: 'What the routes of the dashboard share (session, pages, events), and their list.',
    mayImport: [
      ...types(RULES, 'server/integrations/catalog'),
      ...all('*.dashboard.ts', '*.contract.ts', 'server/platform/http', 'server/platform/lib', 'server/contract'),
    ],
  },
  {
    path: 'server/route-table.ts',
    why: 'The list of the public routes of all nouns.',
    mayImport: all('*.api.ts', 'server/platform/http'),
  },
  {
    path: 'server/cli',
    why: 'An entry point in a process of its own: it compiles and runs functions itself and calls a running hub for the rest.',
    mayImport: [
      ...all(
        'functions/compiler',
        'functions/testing',
        'server/platform/sandbox',
        'server/functions/dry-run',
        'server/integrations/catalog',
        'server/data/transfer',
        'server/practice',
        // Files of agent programs on this computer.
        'server/agents/programs',
        'server/integrations/descriptions',
        'server/platform/lib',
        'server/contract',
        '*.contract.ts',
        'server/config.ts',
        'server/resources.ts',
        'server/running-file.ts',
        'server/data-folder.ts',
        'server/offline-data.ts',
        'server/main.ts',
        // `proxy --paginate` follows pages by the rules of functions.
        'functions/runtime/context/paginate.ts',
      ),
      ...types('functions/runtime/bridge.ts'),
    ],
  },
  {
    path: 'server/app-infrastructure.ts',
    why: 'The lower half of the composition root: data folder, database, vault, engines.',
    mayImport: all('server'),
  },
  {
    path: 'server/app-services.ts',
    why: 'The middle of the composition root: the services that work without a dashboard, lowest first.',
    mayImport: all('server'),
  },
  {
    path: 'server/app-jobs.ts',
    why: 'A part of the composition root: what the jobs of the scheduler call.',
    mayImport: all('server'),
  },
  {
    path: 'server/app-agent-services.ts',
    why: 'A part of the services: the addresses of agents.',
    mayImport: all('server'),
  },
  {
    path: 'server/app-dashboard-services.ts',
    why: 'The upper half of the services: those of the dashboard only, and the state that it shows.',
    mayImport: all('server'),
  },
  {
    path: 'server/prepare-compiling.ts',
    why: 'The part of the composition root that knows the compiler; it loads the compiler when a file has to be compiled.',
    mayImport: [
      ...all('functions/compiler', 'server/contract', 'server/platform/lib'),
      ...types('server/config.ts', 'server/resources.ts'),
    ],
  },
  {
    path: 'server/app.ts',
    why: 'The composition root is the only place that builds and wires.',
    mayImport: all('server'),
  },
  {
    path: 'server/event-log.ts',
    why: 'Turns events about functions, syncs and the catalogue into lines for the person at the terminal.',
    mayImport: [...all('functions/compiler', 'server/platform/lib'), ...types('server/integrations/catalog', RULES)],
  },
  {
    path: 'server/config.ts',
    why: 'Reads the process environment into one typed value.',
    mayImport: all('server/contract', 'server/platform/lib', 'server/platform/vault/master-key.ts'),
  },
  {
    path: 'server/resources.ts',
    why: 'Finds the files that ship with the program; when it runs from sources, it creates what set-up would build.',
    mayImport: all('functions/runtime', 'functions/testing', 'functions/compiler/type-check/declare-sdk.ts'),
  },
  {
    path: 'server/data-folder.ts',
    why: 'Makes the data folder private to its user.',
    mayImport: all('server/platform/lib'),
  },
  {
    path: 'server/offline-data.ts',
    why: 'A small composition root for the command line: the data folder while no hub runs on it.',
    mayImport: [
      ...all(
        'server/data-folder.ts',
        'server/schema',
        'server/platform/database',
        'server/platform/lib',
        'server/data/key-reset.ts',
        'server/environments/api-keys.ts',
        'server/platform/vault',
      ),
      ...types('server/config.ts'),
    ],
  },
  {
    path: 'server/running-file.ts',
    why: 'The file that a running server writes into its data folder for commands of the same user.',
    mayImport: all('server/platform/lib'),
  },
  {
    path: 'server/main.ts',
    why: 'The process entry reads the environment, starts the app and explains a failed start.',
    mayImport: all(
      'server/app.ts',
      'server/config.ts',
      'server/resources.ts',
      'server/platform/lib',
      'server/contract',
      'server/platform/database/migrate.ts',
      'server/platform/database/database-file.ts',
      'server/platform/database/folder-lock.ts',
      'server/platform/http/listener.ts',
      'server/platform/vault/master-key.ts',
    ),
  },
  { path: 'functions/sdk', why: 'The module of authors depends on no other layer.', mayImport: [] },
  {
    path: 'functions/runtime',
    why: 'The guest side builds the context that the SDK describes.',
    mayImport: all('functions/sdk'),
  },
  {
    path: 'functions/compiler',
    why: 'Maps the public package name to the SDK and targets the runtime.',
    mayImport: all('functions/sdk', 'functions/runtime'),
  },
  {
    path: 'functions/testing',
    why: 'Recorded runs, and the mock classes of authors’ tests, which paginate like the runtime.',
    mayImport: all('functions/runtime', 'functions/sdk'),
  },
  { path: 'functions/templates', why: 'Read as data; they import the public package name only.', mayImport: [] },
  {
    path: 'build/config',
    why: 'Configuration of tools; Vite converts theme and colours to static style sheets.',
    mayImport: all('renderer/app/theme.ts', 'renderer/app/theme-tokens.ts'),
  },
  {
    path: 'build/scripts',
    why: 'Scripts write the guest code, its snapshot, the catalogue, the documentation and the types for editors into dist/, and build/config/layers.md.',
    mayImport: all(
      'build/config',
      'functions/compiler',
      'functions/runtime',
      'functions/testing',
      'renderer/lib',
      'server',
    ),
  },
];

/**
 * Permissions that the design plans and no import uses yet: `<layer> → <target>`. The architecture test fails for one
 * that is used by now, and for one that is missing in the table.
 */
export const PLANNED = ['functions/runtime → functions/sdk', 'functions/compiler → functions/sdk'];

/**
 * The nouns: one folder of server each, lowest first. The rules of a noun may import those of the nouns above it in this
 * list. A change of the order is recorded in DECISIONS.
 */
export const NOUNS = [
  'environments',
  'limits',
  'log',
  'webhooks-out',
  'integrations',
  'connections',
  'records',
  'queries',
  'destinations',
  'snapshots',
  'proxy',
  'functions',
  'mcp',
  'agents',
  'egress',
  'syncs',
  'imports',
  'lifecycle',
  'authorization',
  'webhooks-in',
  'dashboard',
  'data',
] as const;

/** Packages that only one folder may import; the rest of the program does not know them. */
export const PACKAGE_HOMES: Record<string, string[]> = {
  electron: ['electron/main', 'electron/preload'],
  sqlite3: ['server/platform/database'],
  '@duckdb/node-api': ['server/queries/engine'],
  'apache-arrow': ['server/queries/engine'],
  'hyparquet-writer': ['server/queries/engine'],
  pg: ['server/destinations'],
  hyparquet: ['server/imports'],
  'csv-parse': ['server/imports'],
  keytar: ['server/platform/vault'],
  'isolated-vm': ['server/platform/sandbox'],
  express: ['server/platform/http', 'server/dashboard/api', '*.api.ts', '*.dashboard.ts', 'server/practice'],
  esbuild: ['functions/compiler', 'functions/runtime', 'functions/testing', 'build/scripts'],
  react: ['renderer'],
};

/** Folders that may import only these packages (Node's own modules are packages here too). */
export const ONLY_PACKAGES: Record<string, string[]> = {
  // `ms` is the grammar of frequencies (functions.md 1.6).
  'server/contract': ['zod', 'ms'],
  'functions/sdk': ['zod'],
};

/** Names allowed at the top level, in addition to dotfiles and ignored folders. */
export const TOP_LEVEL = [
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'electron',
  'renderer',
  'server',
  'functions',
  'build',
  'test',
  'README.md',
  'LICENSE',
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  'DECISIONS.md',
  'SECURITY.md',
  'CHANGELOG.md',
];
