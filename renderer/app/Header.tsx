import {
  ActionIcon,
  Kbd,
  Menu,
  Tooltip,
  UnstyledButton,
  useComputedColorScheme,
  useMantineColorScheme,
} from '@mantine/core';
import {
  IconApi,
  IconBook,
  IconFileCode,
  IconFlag,
  IconHelp,
  IconKeyboard,
  IconMoon,
  IconSearch,
  IconSun,
  IconTerminal2,
} from '@tabler/icons-react';
import { Link, matchPath, useLocation, useSearchParams } from 'react-router';
import { CopyButton } from '../components/CopyButton.tsx';
import type { Breadcrumb } from '../components/page/page-context.ts';
import { useShell } from '../components/shell-context.ts';
import { useCommands } from '../components/use-commands.ts';
import { KEY_MAP } from '../lib/key-map.ts';
import { paths } from '../lib/paths.ts';
import { modifierKey } from '../lib/platform.ts';
import { ApprovalDesk } from './ApprovalDesk.tsx';
import classes from './Header.module.css';
import { NotificationBell } from './NotificationBell.tsx';
import { targetOfScreen } from './PlaygroundSheet.tsx';
import { SCREEN_HELP } from './screen-help.ts';
import { screenOf } from './screens.ts';

interface HeaderProps {
  env: string;
  breadcrumbs: Breadcrumb[];
  /** The chip of a production environment, which the narrow sidebar has no room for. */
  isProduction: boolean;
  /** Incremented on every request to show the waiting calls. */
  reviewCalls: number;
  onPalette: () => void;
  /** Shows the keys of the screen. */
  onKeys: () => void;
}

/** Longer than any screen name. */
const LONG_CHARACTERS = 24;

export function Header({ env, breadcrumbs: crumbs, isProduction, reviewCalls, onPalette, onKeys }: HeaderProps) {
  const last = crumbs.at(-1);
  return (
    <header
      className="row gap-12 line-below"
      style={{ gridArea: 'head', padding: '0 16px 0 var(--hp-gutter)', background: 'var(--hp-surface)' }}
    >
      <nav aria-label="Breadcrumbs" className={`row gap-4 grow ${classes['crumbs']}`}>
        <ol className="flex" style={{ minWidth: 0 }}>
          <li className="flex one-line">
            <Link className="soft" to={`/${env}`}>
              {env}
            </Link>
          </li>
          {crumbs.map((crumb) => (
            <li
              className="flex one-line"
              key={crumb.label}
              data-long={crumb.label.length > LONG_CHARACTERS || undefined}
            >
              {crumb.to ? (
                <Link className="soft" to={crumb.to}>
                  {crumb.label}
                </Link>
              ) : (
                <span aria-current="page">{crumb.label}</span>
              )}
            </li>
          ))}
        </ol>
        {last && crumbs.length > 1 && !last.isTitle && <CopyButton value={last.label} label="Copy name" />}
      </nav>
      {isProduction && (
        <span
          className="rigid tiny strong"
          style={{ padding: '0 6px', border: '2px solid var(--env)', borderRadius: 4 }}
        >
          production
        </span>
      )}
      <ApprovalDesk reviewCalls={reviewCalls} />
      <UnstyledButton
        className={`row faint ${classes['palette']}`}
        aria-label={`Search or run a command ${modifierKey()} K`}
        onClick={onPalette}
      >
        <IconSearch size={16} stroke={1.6} aria-hidden />
        <span className="grow cut">Search or run a command</span> <Kbd className="rigid">{modifierKey()} K</Kbd>
      </UnstyledButton>
      <PlaygroundButton />
      <NotificationBell env={env} />
      <HelpMenu env={env} onKeys={onKeys} />
      <ThemeToggle />
    </header>
  );
}

/** Opens the playground for the object on the screen; absent on the playground's own page. */
function PlaygroundButton() {
  const { openPlayground } = useShell();
  const { pathname } = useLocation();
  const [query] = useSearchParams();
  if (matchPath('/:env/playground', pathname)) return null;
  return (
    <Tooltip label="Open the playground">
      <ActionIcon
        aria-label="Open the playground"
        onClick={() => openPlayground(targetOfScreen(pathname, query))}
        size={32}
      >
        <IconTerminal2 size={16} stroke={1.6} aria-hidden />
      </ActionIcon>
    </Tooltip>
  );
}

function HelpMenu({ env, onKeys }: Pick<HeaderProps, 'env' | 'onKeys'>) {
  const screen = screenOf(useLocation().pathname);
  return (
    <Menu position="bottom-end" width={220}>
      <Menu.Target>
        <Tooltip label="Help">
          <ActionIcon aria-label="Help" size={32}>
            <IconHelp size={16} stroke={1.6} aria-hidden />
          </ActionIcon>
        </Tooltip>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item
          component={Link}
          to={paths.gettingStarted(env)}
          leftSection={<IconFlag size={14} stroke={1.6} aria-hidden />}
        >
          Getting started
        </Menu.Item>
        <Menu.Item
          leftSection={<IconKeyboard size={14} stroke={1.6} aria-hidden />}
          rightSection={<Kbd>?</Kbd>}
          onClick={onKeys}
        >
          Keyboard shortcuts
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item component={Link} to={paths.docs()} leftSection={<IconBook size={14} stroke={1.6} aria-hidden />}>
          Documentation
        </Menu.Item>
        {screen && (
          <Menu.Item
            component={Link}
            to={paths.docs(SCREEN_HELP[screen.id])}
            leftSection={<IconHelp size={14} stroke={1.6} aria-hidden />}
          >
            About this screen
          </Menu.Item>
        )}
        <Menu.Item component={Link} to={`/${env}/api`} leftSection={<IconApi size={14} stroke={1.6} aria-hidden />}>
          API reference
        </Menu.Item>
        <Menu.Item
          component="a"
          href="/openapi.json"
          target="_blank"
          rel="noreferrer"
          leftSection={<IconFileCode size={14} stroke={1.6} aria-hidden />}
        >
          OpenAPI document
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

function ThemeToggle() {
  // Mantine would disable transitions with a style element, which the page's policy refuses.
  const { setColorScheme } = useMantineColorScheme({ keepTransitions: true });
  const scheme = useComputedColorScheme('light');
  const next = scheme === 'dark' ? 'light' : 'dark';
  const toggle = (): void => setColorScheme(next);
  useCommands([{ ...KEY_MAP.theme, run: toggle }]);
  return (
    <Tooltip label={`Use the ${next} theme (${modifierKey()} D)`}>
      <ActionIcon aria-label={`Use the ${next} theme`} onClick={toggle} size={32}>
        {scheme === 'dark' ? <IconSun size={16} stroke={1.6} /> : <IconMoon size={16} stroke={1.6} />}
      </ActionIcon>
    </Tooltip>
  );
}
