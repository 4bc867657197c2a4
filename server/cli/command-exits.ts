import { EXIT, SERVER_EXIT } from './cli-failure.ts';

/** Every command can end with these. */
const COMMON = [0, EXIT.failed, EXIT.usage, EXIT.interrupted];

/** Commands that call a hub. */
const HUB = [EXIT.stopped];
/** Commands of a project; also one of the old format does not compile. */
const PROJECT = [EXIT.compile];

/** The exit statuses that a command has besides the common ones. Every command is named. */
const COMMAND_EXITS: Readonly<Record<string, readonly number[]>> = {
  init: PROJECT,
  create: PROJECT,
  migrate: PROJECT,
  clone: PROJECT,
  dev: PROJECT,
  compile: PROJECT,
  dryrun: [...PROJECT, ...HUB, EXIT.run],
  test: [...PROJECT, EXIT.run],
  'generate tests': PROJECT,
  'generate docs': PROJECT,
  types: PROJECT,
  deploy: [...PROJECT, ...HUB, EXIT.deploy],
  pull: [...PROJECT, ...HUB],
  'functions list': HUB,
  'functions get': HUB,
  'functions prune': HUB,
  'integrations list': HUB,
  'integrations get': HUB,
  'integrations create': HUB,
  'integrations edit': HUB,
  'integrations delete': HUB,
  'connections list': HUB,
  'connections get': HUB,
  'connections add': HUB,
  'connections delete': HUB,
  token: HUB,
  connect: HUB,
  'actions run': [...HUB, EXIT.run],
  'syncs list': HUB,
  'syncs run': HUB,
  'syncs pause': HUB,
  'syncs start': HUB,
  move: HUB,
  'records import': HUB,
  'records list': HUB,
  'records query': HUB,
  sql: HUB,
  snapshots: HUB,
  'snapshots on': HUB,
  'snapshots run': HUB,
  'snapshots off': HUB,
  'destinations list': HUB,
  'destinations show': HUB,
  'destinations create': HUB,
  'destinations test': HUB,
  'destinations pause': HUB,
  'destinations resume': HUB,
  'destinations retry': HUB,
  'destinations replay': HUB,
  'destinations delete': HUB,
  api: HUB,
  // Else the status of the command.
  run: HUB,
  proxy: HUB,
  logs: HUB,
  'webhooks list': HUB,
  'webhooks get': HUB,
  'webhooks replay': HUB,
  'providers list': HUB,
  'providers show': HUB,
  // Without a hub it works on the files.
  'providers check': [],
  'providers import': [],
  'providers approve': HUB,
  'settings get': HUB,
  'settings set': HUB,
  'settings unset': HUB,
  'agents list': HUB,
  'agents add': HUB,
  'agents remove': HUB,
  'agents limits list': HUB,
  'agents limits set': HUB,
  'agents stdio': HUB,
  'mcp list': HUB,
  'mcp allow': HUB,
  'mcp deny': HUB,
  'mcp ask': HUB,
  'environments list': HUB,
  'environments create': HUB,
  'environments delete': HUB,
  export: HUB,
  import: HUB,
  // Without a hub it works on the data folder.
  backup: [],
  restore: [],
  verify: [],
  'keys list': HUB,
  'keys create': HUB,
  'keys revoke': HUB,
  'key show': HUB,
  'key status': [],
  'key rotate': [],
  'key move': [],
  'key reset': [],
  serve: [SERVER_EXIT.damagedDatabase, SERVER_EXIT.wrongMasterKey],
  version: [],
  status: HUB,
  // Without a hub there is nothing to stop.
  stop: [],
  restart: HUB,
  open: HUB,
  // A hub that does not run is one of its findings.
  doctor: [],
  completion: [],
  help: [],
};

/** In ascending order; undefined for a command that is not in the list. */
export function exitsOf(path: string): number[] | undefined {
  const own = COMMAND_EXITS[path];
  return own && [...COMMON, ...own].sort((a, b) => a - b);
}
