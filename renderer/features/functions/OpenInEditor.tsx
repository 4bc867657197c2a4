import { ActionIcon, Button, Menu } from '@mantine/core';
import { IconChevronDown, IconExternalLink } from '@tabler/icons-react';
import { useState } from 'react';
import { notifyDone } from '../../components/notify.ts';
import { readStored, writeStored } from '../../lib/stored.ts';
import classes from './FunctionPage.module.css';

const EDITORS = [
  { scheme: 'vscode', name: 'VS Code' },
  { scheme: 'cursor', name: 'Cursor' },
  { scheme: 'zed', name: 'Zed' },
];
const STORED = 'editor';

/** The address that an editor answers to, with the line to go to. */
function editorLink(scheme: string, path: string, line: number | null): string {
  const parts = path.replaceAll('\\', '/').split('/').map(encodeURIComponent).join('/');
  return `${scheme}://file${parts.startsWith('/') ? '' : '/'}${parts}${line === null ? '' : `:${line}`}`;
}

/** Opens the file in the editor that was chosen last. */
export function OpenInEditor({ path, line }: { path: string; line: number | null }) {
  const [stored, setStored] = useState(() => readStored(STORED, 'vscode'));
  const editor = EDITORS.find(({ scheme }) => scheme === stored) ?? EDITORS[0];
  if (!editor) return null;
  const choose = (scheme: string): void => {
    setStored(scheme);
    writeStored(STORED, scheme);
  };
  return (
    <div className={classes['editor']}>
      <Button
        variant="default"
        component="a"
        href={editorLink(editor.scheme, path, line)}
        leftSection={<IconExternalLink size={16} stroke={1.6} />}
      >
        Open in {editor.name}
      </Button>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon variant="default" size={32} aria-label="Choose the editor">
            <IconChevronDown size={16} stroke={1.6} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {EDITORS.map(({ scheme, name }) => (
            <Menu.Item key={scheme} component="a" href={editorLink(scheme, path, line)} onClick={() => choose(scheme)}>
              {name}
            </Menu.Item>
          ))}
          <Menu.Divider />
          <Menu.Item onClick={() => void navigator.clipboard.writeText(path).then(() => notifyDone('Path copied'))}>
            Copy the path
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </div>
  );
}
