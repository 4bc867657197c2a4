/**
 * The import rules of all layers, in one place. test/architecture reads this table and every import. It fails for a
 * violation, a circle, and a permission that no import uses. `test` and every `*.test.ts` are not in the table: they
 * may import everything.
 */

export interface Permission {
  /** A folder with everything below it, or a file. */
  to: string;
  /** Only `import type` is allowed. */
  typesOnly?: true;
}

export interface Layer {
  /** A folder or a file. A file belongs to the layer with the longest matching path. */
  path: string;
  /** One sentence: why the layer may import this. Imports inside the layer need no permission. */
  why: string;
  mayImport: Permission[];
}

const all = (...paths: string[]): Permission[] => paths.map((to) => ({ to }));
const types = (...paths: string[]): Permission[] => paths.map((to) => ({ to, typesOnly: true }));

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
      ...all('server/contract', 'renderer/lib/key-map.ts', 'renderer/lib/paths.ts'),
      ...types('electron/server-process'),
    ],
  },
  {
    path: 'electron/server-process',
    why: 'Plain Node code that is tested without Electron; it speaks the shell messages and the dashboard’s API.',
    mayImport: all('server/contract', 'renderer/lib/paths.ts'),
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
    why: 'Presentational components without data access.',
    mayImport: all('renderer/lib'),
  },
  {
    path: 'renderer/api',
    why: 'The typed client of the local API.',
    mayImport: all('renderer/lib', 'server/contract'),
  },
  { path: 'renderer/lib', why: 'Pure helpers import nothing.', mayImport: [] },
  {
    path: 'server/contract',
    why: 'What crosses a process border depends on nothing but zod.',
    mayImport: [],
  },
  {
    path: 'server/platform/lib',
    why: 'The lowest layer: knows no noun of the product.',
    mayImport: all('server/contract'),
  },
  {
    path: 'server/database',
    why: 'Handles, transaction and migrations know no table beyond their own.',
    mayImport: all('server/platform/lib'),
  },
  {
    path: 'server/stores',
    why: 'The only SQL; secrets stay sealed here.',
    mayImport: [...all('server/database', 'server/platform/lib'), ...types('server/contract')],
  },
  {
    path: 'server/platform/vault',
    why: 'Knows keys and sealed text, but not its meaning; independent except for the error class and files.',
    mayImport: all(
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
    mayImport: all('server/stores', 'server/database', 'server/platform/lib'),
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
    path: 'server/services',
    why: 'The logic of the product; app.ts passes engines and stores in.',
    mayImport: all(
      'server/platform/sandbox',
      'server/functions/dry-run',
      'server/platform/scheduler',
      'server/platform/vault',
      'server/integrations/catalog',
      'server/data/transfer',
      'server/stores',
      'server/database',
      'server/platform/lib',
      'server/contract',
    ),
  },
  {
    path: 'server/services/deployments',
    why: 'The only service that compiles.',
    mayImport: all('functions/compiler'),
  },
  {
    path: 'server/services/transfer',
    why: 'Tells from the path of a file which function it holds.',
    mayImport: all('functions/compiler/function-path.ts'),
  },
  {
    path: 'server/services/runs',
    why: 'Implements the host side of the bridge protocol.',
    mayImport: [
      ...all('server/present'),
      ...types('functions/runtime/bridge.ts'),
      ...all('functions/runtime/shrink-json.ts'),
    ],
  },
  {
    path: 'server/present',
    why: 'Wire forms of stored objects, for HTTP responses and for functions that read their connection.',
    mayImport: [
      ...types('server/services', 'server/integrations/catalog'),
      ...all('server/platform/lib', 'server/contract'),
    ],
  },
  {
    path: 'server/jobs',
    why: 'An entry point: it checks a payload and calls a service that it receives; a handler is a job kind of the scheduler.',
    mayImport: [
      ...types('server/services', 'server/platform/scheduler'),
      ...all('server/platform/lib', 'server/contract'),
    ],
  },
  {
    path: 'server/http',
    why: 'An entry point: it checks a request and calls a service that it receives; it shows provider definitions unchanged.',
    mayImport: [
      ...types('server/services', 'server/integrations/catalog'),
      ...all('server/present', 'server/platform/lib', 'server/contract'),
    ],
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
        'server/platform/lib',
        'server/contract',
        'server/config.ts',
        'server/resources.ts',
        'server/running-file.ts',
        'server/data-folder.ts',
        'server/offline-data.ts',
        'server/main.ts',
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
    mayImport: [
      ...all('functions/compiler', 'server/platform/lib'),
      ...types('server/integrations/catalog', 'server/services'),
    ],
  },
  {
    path: 'server/config.ts',
    why: 'Reads the process environment into one typed value.',
    mayImport: all('server/platform/lib', 'server/platform/vault/master-key.ts'),
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
        'server/database',
        'server/platform/lib',
        'server/data/key-reset.ts',
        'server/environments/api-keys.ts',
        'server/stores',
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
    why: 'Scripts write the guest code, its snapshot, the catalogue and the types for editors into dist/, and the table of layers into ARCHITECTURE.md.',
    mayImport: all(
      'build/config',
      'functions/compiler',
      'functions/runtime',
      'functions/testing',
      'server/integrations/catalog',
      'server/platform/sandbox/guest-snapshot.ts',
      'server/platform/sandbox/worker/make-snapshot.ts',
    ),
  },
];

/**
 * Permissions that the design plans and no import uses yet: `<layer> → <target>`. The architecture test fails for one
 * that is used by now, and for one that is missing in the table.
 */
export const PLANNED = [
  'server/jobs → server/platform/lib',
  'server/jobs → server/contract',
  'functions/runtime → functions/sdk',
  'functions/compiler → functions/sdk',
];

/**
 * Lowest first. A service may import only services above it in this list. A change of the order is recorded in
 * DECISIONS.
 */
export const SERVICES = [
  'environment',
  'audit',
  'logs',
  'telemetry',
  'data-care',
  'notifications',
  'integrations',
  'credentials',
  'connections',
  'connect-sessions',
  'deployments',
  'records',
  'sync-schedules',
  'proxy',
  'runs',
  'actions',
  'function-tasks',
  'mcp',
  'syncs',
  'lifecycle',
  'authorization',
  'incoming',
  'overview',
  'notification-centre',
  'function-tests',
  'playground',
  'provider-entries',
  'erasure',
  'deletions',
  'transfer',
] as const;

/** Packages that only one folder may import; the rest of the program does not know them. */
export const PACKAGE_HOMES: Record<string, string[]> = {
  electron: ['electron/main', 'electron/preload'],
  sqlite3: ['server/database'],
  keytar: ['server/platform/vault'],
  'isolated-vm': ['server/platform/sandbox'],
  express: ['server/http', 'server/practice'],
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
