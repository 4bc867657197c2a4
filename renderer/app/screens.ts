import {
  IconApi,
  IconDatabaseExport,
  IconDatabaseSearch,
  IconFunction,
  IconKey,
  IconLayoutDashboard,
  IconListSearch,
  IconPlugConnected,
  IconSettings,
  IconSparkles,
  IconTerminal2,
  IconUsers,
  IconWebhook,
} from '@tabler/icons-react';

export interface Screen {
  id:
    | 'overview'
    | 'integrations'
    | 'connections'
    | 'functions'
    | 'webhooks'
    | 'logs'
    | 'query'
    | 'destinations'
    | 'playground'
    | 'api'
    | 'apps'
    | 'agents'
    | 'settings';
  label: string;
  /** Below `/:env/`. */
  path: string;
  icon: typeof IconUsers;
  /** Second key after `g`. */
  key: string;
  /** Separated from the screen above it in the sidebar. */
  startsGroup?: true;
}

/** The screen an address belongs to. A function has an address below its integration but belongs to Functions. */
export function screenOf(pathname: string): Screen | undefined {
  const [, env, first = '', , third = '', fourth] = pathname.split('/');
  if (env === 'docs') return undefined;
  if (env === 'settings') return SCREENS.find(({ id }) => id === 'settings');
  const path = first === 'integrations' && third === 'functions' && fourth ? 'functions' : first;
  return SCREENS.find((screen) => screen.path === path);
}

/** The screens in the order of the sidebar. Settings stands apart at the end. */
export const SCREENS: readonly Screen[] = [
  { id: 'overview', label: 'Overview', path: '', icon: IconLayoutDashboard, key: 'o' },
  { id: 'integrations', label: 'Integrations', path: 'integrations', icon: IconPlugConnected, key: 'i' },
  { id: 'connections', label: 'Connections', path: 'connections', icon: IconUsers, key: 'c' },
  { id: 'functions', label: 'Functions', path: 'functions', icon: IconFunction, key: 'f' },
  { id: 'webhooks', label: 'Webhooks', path: 'webhooks', icon: IconWebhook, key: 'w', startsGroup: true },
  { id: 'logs', label: 'Logs', path: 'logs', icon: IconListSearch, key: 'l' },
  { id: 'query', label: 'Query', path: 'query', icon: IconDatabaseSearch, key: 'q' },
  { id: 'destinations', label: 'Destinations', path: 'destinations', icon: IconDatabaseExport, key: 'd' },
  { id: 'playground', label: 'Playground', path: 'playground', icon: IconTerminal2, key: 'p' },
  { id: 'api', label: 'API', path: 'api', icon: IconApi, key: 'r' },
  { id: 'apps', label: 'Apps & keys', path: 'apps', icon: IconKey, key: 'a', startsGroup: true },
  { id: 'agents', label: 'Agents', path: 'agents', icon: IconSparkles, key: 'm' },
  { id: 'settings', label: 'Settings', path: 'environment-settings', icon: IconSettings, key: 's' },
];
