import { ActionIcon, Menu, Tooltip, UnstyledButton } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import { formatNumber } from '../../lib/format-number.ts';
import { saveFile } from '../../lib/save-file.ts';
import { focusIfLost } from '../focus-if-lost.ts';
import { notifyDone, notifyError } from '../notice/notify.ts';
import classes from './ExportMenu.module.css';

const FORMATS = { csv: 'CSV', json: 'JSON', ndjson: 'JSON, one row per line', sqlite: 'SQLite' } as const;
type Format = keyof typeof FORMATS;

interface ExportMenuProps {
  /** File name, without the extension. */
  fileName: string;
  /** The list can also be exported as a database. */
  hasSqlite?: boolean;
  read: (options: {
    format: Format;
    onProgress: (rows: number, total: number) => void;
    signal: AbortSignal;
  }) => Promise<Blob>;
  /** Another format: its name and its content. */
  other?: { label: string; fileName: string; read: () => Promise<Blob> };
}

/** All rows of the filter as a file; a second press stops it. */
export function ExportMenu({ fileName, hasSqlite = false, read, other }: ExportMenuProps) {
  const [progress, setProgress] = useState<string>();
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);
  const button = useRef<HTMLButtonElement>(null);
  const isRunning = progress !== undefined;
  const wasRunning = useRef(isRunning);
  useEffect(() => {
    // Each button replaces the other, which may have had the focus.
    if (isRunning !== wasRunning.current) focusIfLost(button.current);
    wasRunning.current = isRunning;
  }, [isRunning]);
  const save = async (format: Format): Promise<void> => {
    const control = new AbortController();
    running.current = control;
    setProgress('0 rows');
    try {
      let count = 0;
      const onProgress = (rows: number, total: number): void => {
        count = rows;
        setProgress(`${formatNumber(rows)} of ${formatNumber(total)}`);
      };
      saveFile(`${fileName}.${format}`, await read({ format, onProgress, signal: control.signal }));
      notifyDone(`${formatNumber(count)} rows exported`);
    } catch (error) {
      if (!control.signal.aborted) notifyError(error);
    } finally {
      setProgress(undefined);
    }
  };
  if (isRunning) {
    return (
      <UnstyledButton
        ref={button}
        className={`small numbers ${classes['running']}`}
        onClick={() => running.current?.abort()}
      >
        <span className="soft" role="status">
          {progress}
        </span>{' '}
        Stop
      </UnstyledButton>
    );
  }
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Tooltip label="Export all rows of this filter">
          <ActionIcon ref={button} aria-label="Export" size={28}>
            <IconDownload size={16} stroke={1.6} aria-hidden />
          </ActionIcon>
        </Tooltip>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>Export all rows of this filter</Menu.Label>
        {Object.entries(FORMATS)
          .filter(([format]) => hasSqlite || format !== 'sqlite')
          .map(([format, label]) => (
            <Menu.Item key={format} onClick={() => void save(format as Format)}>
              {label}
            </Menu.Item>
          ))}
        {other && (
          <Menu.Item
            onClick={() => void other.read().then((content) => saveFile(other.fileName, content), notifyError)}
          >
            {other.label}
          </Menu.Item>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}
