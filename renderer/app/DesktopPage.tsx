import { ActionIcon, Paper, Text, TextInput } from '@mantine/core';
import { IconChevronDown, IconChevronUp, IconX } from '@tabler/icons-react';
import { useEffect, useEffectEvent, useState } from 'react';
import type { DesktopBridge } from '../api/contract.ts';
import { useCommandList, useCommands } from '../components/use-commands.ts';
import { formatNumber } from '../lib/format-number.ts';
import { KEY_MAP } from '../lib/key-map.ts';
import classes from './DesktopPage.module.css';

const ICON = { size: 16, stroke: 1.6, 'aria-hidden': true } as const;
/** Milliseconds; commands change several times while a screen opens. */
const QUIET_MS = 150;

/** What the page adds in the desktop window: its commands in the application menu, and search in the page. */
export function DesktopPage({ bridge }: { bridge: DesktopBridge }) {
  const [isFinding, setFinding] = useState(false);
  useCommands([{ ...KEY_MAP.find, run: () => setFinding(true) }]);
  useMenu(bridge);
  return isFinding && <FindBar bridge={bridge} onClose={() => setFinding(false)} />;
}

function useMenu(bridge: DesktopBridge): void {
  const commands = useCommandList();
  const run = useEffectEvent((wanted: string) => void commands.find(({ id }) => id === wanted)?.run());
  const shown = commands.filter(({ isMove, group }) => !isMove || group === 'Go to');
  const text = JSON.stringify(shown.map(({ id, keys, label, group }) => ({ id, keys, label, group })));
  useEffect(() => {
    const timer = setTimeout(() => void bridge.setCommands(JSON.parse(text)), QUIET_MS);
    return () => clearTimeout(timer);
  }, [bridge, text]);
  useEffect(() => bridge.onCommand((id) => run(id)), [bridge]);
}

function FindBar({ bridge, onClose }: { bridge: DesktopBridge; onClose: () => void }) {
  const [text, setText] = useState('');
  const [found, setFound] = useState({ hits: 0, current: 0 });
  const find = async (wanted: string, options: { backwards?: boolean } = {}): Promise<void> => {
    setFound(await bridge.findInPage(wanted, options));
  };
  const close = (): void => {
    void bridge.findInPage('');
    onClose();
  };
  return (
    <Paper
      className={`row gap-4 ${classes['bar']}`}
      role="search"
      aria-label="Find on this page"
      withBorder
      shadow="md"
    >
      <TextInput
        autoFocus
        aria-label="Find on this page"
        placeholder="Find on this page"
        value={text}
        spellCheck={false}
        onChange={(event) => {
          const { value } = event.currentTarget;
          setText(value);
          void find(value);
        }}
        onKeyDown={(event) => {
          if (event.key === 'Enter') void find(text, { backwards: event.shiftKey });
          if (event.key !== 'Escape') return;
          event.stopPropagation();
          close();
        }}
      />
      <Text
        size="xs"
        c="dimmed"
        style={{ minWidth: 64, textAlign: 'center', fontVariantNumeric: 'tabular-nums' }}
        aria-live="polite"
      >
        {text !== '' && `${formatNumber(found.current)} of ${formatNumber(found.hits)}`}
      </Text>
      <ActionIcon variant="subtle" aria-label="Previous" onClick={() => void find(text, { backwards: true })}>
        <IconChevronUp {...ICON} />
      </ActionIcon>
      <ActionIcon variant="subtle" aria-label="Next" onClick={() => void find(text)}>
        <IconChevronDown {...ICON} />
      </ActionIcon>
      <ActionIcon variant="subtle" aria-label="Close the search" onClick={close}>
        <IconX {...ICON} />
      </ActionIcon>
    </Paper>
  );
}
