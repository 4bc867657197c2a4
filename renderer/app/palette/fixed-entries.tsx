import {
  IconApi,
  IconBolt,
  IconBook,
  IconBookmark,
  IconClock,
  IconFileCode,
  IconFlag,
  IconHelpCircle,
  IconSettings,
} from '@tabler/icons-react';
import type { ComponentType } from 'react';
import type { OpenApiDocument } from '../../api/contract.ts';
import { desktopBridge } from '../../api/desktop-bridge.ts';
import { pathOfAddress } from '../../lib/pasted-address.ts';
import { paths } from '../../lib/paths.ts';
import { readRecentScreens } from '../../lib/recent-screens.ts';
import { listSettings } from '../../lib/settings-index.ts';
import { readStored } from '../../lib/stored.ts';
import { Keys } from '../KeyHelp.tsx';
import { SCREENS } from '../screens.ts';
import type { PaletteEntry } from './palette-entry.ts';

const SHOWN_PLACES = 5;
/** Lists with saved views: the name under which views are stored, and the address. */
const VIEW_LISTS: ReadonlyArray<readonly [list: string, label: string, path: string]> = [
  ['connections', 'Connections', 'connections?'],
  ['integrations', 'Integrations', 'integrations?'],
  ['functions', 'Functions', 'functions?'],
  ['logs', 'Logs', 'logs?'],
  ['incoming-webhooks', 'Webhooks, incoming', 'webhooks?'],
  ['outgoing-webhooks', 'Webhooks, outgoing', 'webhooks?direction=outgoing&'],
];

type Icon = ComponentType<{ size: number; stroke: number }>;

/** An icon in the size of palette entries. */
export const entryIcon = (Shown: Icon) => <Shown size={16} stroke={1.6} />;

export const screenEntries = (env: string): PaletteEntry[] =>
  SCREENS.map((screen) => ({
    id: `screen:${screen.id}`,
    group: 'Screens',
    label: screen.label,
    keywords: [`/${screen.path}`],
    icon: entryIcon(screen.icon),
    aside: <Keys chord={`g ${screen.key}`} />,
    to: `/${env}/${screen.path}`,
  }));

export const settingsEntries = (env: string): PaletteEntry[] =>
  listSettings(env, desktopBridge() !== undefined).map(({ id, label, hint, words, to }) => ({
    id,
    group: 'Settings',
    // The label "Keyboard" alone would rank above the list of keys, and "Webhooks" above the screen.
    label: `Settings: ${label}`,
    hint,
    keywords: [label, ...words],
    icon: entryIcon(IconSettings),
    to,
  }));

export const helpEntries = (env: string, showKeys: () => unknown): PaletteEntry[] => [
  {
    id: 'help:start',
    group: 'Help',
    label: 'Getting started',
    keywords: ['first run', 'wizard', 'tutorial'],
    icon: entryIcon(IconFlag),
    to: paths.gettingStarted(env),
  },
  {
    id: 'help:docs',
    group: 'Help',
    label: 'Documentation',
    keywords: ['manual', 'guide', 'help'],
    icon: entryIcon(IconBook),
    to: paths.docs(),
  },
  {
    id: 'help:keys',
    group: 'Help',
    label: 'Keyboard shortcuts',
    icon: entryIcon(IconHelpCircle),
    aside: <Keys chord="?" />,
    run: showKeys,
  },
  {
    id: 'help:api',
    group: 'Help',
    label: 'API reference',
    keywords: ['documentation'],
    icon: entryIcon(IconApi),
    to: `/${env}/api`,
  },
  {
    id: 'help:openapi',
    group: 'Help',
    label: 'OpenAPI document',
    icon: entryIcon(IconFileCode),
    run: () => void window.open('/openapi.json', '_blank', 'noopener'),
  },
];

/** Saved filters. */
export const viewEntries = (env: string): PaletteEntry[] =>
  VIEW_LISTS.flatMap(([list, label, path]) =>
    readStored<Array<{ name: string; params: Record<string, string> }>>(`views.${list}`, []).map((view) => ({
      id: `view:${list}:${view.name}`,
      group: 'Saved views',
      label: view.name,
      hint: label,
      icon: entryIcon(IconBookmark),
      to: `/${env}/${path}${new URLSearchParams(view.params)}`,
    })),
  );

/** Recently opened objects, except the one at `here`; screens have entries of their own. */
export function recentEntries(env: string, here: string): PaletteEntry[] {
  const screens = new Set(SCREENS.map(({ path }) => `/${env}/${path}`));
  return readRecentScreens()
    .filter(({ path }) => path !== here && path.startsWith(`/${env}/`) && !screens.has(path))
    .map((screen, index) => ({
      id: `place:${screen.path}`,
      group: 'Recent',
      label: screen.label,
      hint: screen.within,
      icon: entryIcon(IconClock),
      to: screen.path,
      isQuiet: index >= SHOWN_PLACES,
    }));
}

/** The path itself, for screens without an entry: in the environment of the screen, unless it begins with another one. */
export function typedPath(text: string, here: { env: string; environments: readonly string[] }): PaletteEntry[] {
  if (text === '') return [];
  const path = text.replace(/^app\//, '');
  const [first = ''] = path.split(/[/?#]/);
  const to = here.environments.includes(first) || first === 'settings' ? `/${path}` : `/${here.env}/${path}`;
  return [{ id: 'path', group: 'Path', label: to, icon: entryIcon(IconBolt), to, isFound: true }];
}

/** The target of a pasted address. */
export function pastedAddress(text: string, here: { env: string; environments: readonly string[] }): PaletteEntry[] {
  const to = pathOfAddress(text, here);
  if (to === undefined) return [];
  return [{ id: 'jump', group: 'Pasted address', label: `Go to ${to}`, icon: entryIcon(IconBolt), to, isExact: true }];
}

/** Routes of the API; each opens its place in the reference. */
export const routeEntries = (env: string, document: OpenApiDocument | undefined): PaletteEntry[] =>
  Object.entries(document?.paths ?? {}).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { summary }]) => ({
      id: `route:${method} ${path}`,
      group: 'API reference',
      label: `${method.toUpperCase()} ${path}`,
      hint: summary ?? '',
      icon: entryIcon(IconApi),
      to: `/${env}/api?search=${encodeURIComponent(path)}`,
      isQuiet: true,
    })),
  );
