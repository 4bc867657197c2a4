import { ActionIcon, Button, Group, Menu } from '@mantine/core';
import { IconChevronDown, IconExternalLink } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'react-router';
import { desktopBridge } from '../../api/desktop-bridge.ts';
import { desktopSettingsQueryOptions, useOpenInEditor } from '../../api/hub/desktop-settings.ts';
import { copyText } from '../../components/copy-text.ts';
import { chosenEditor, EDITORS, type EditorFile, editorLink, keepEditor } from '../../lib/editors.ts';
import { paths } from '../../lib/paths.ts';

/** Opens the file in the editor that was chosen last. */
export function OpenInEditor(file: EditorFile) {
  return desktopBridge() ? <FromDesktop {...file} /> : <FromBrowser {...file} />;
}

/** The app has a setting for the editor, and opens only files of functions. */
function FromDesktop(file: EditorFile) {
  const open = useOpenInEditor();
  const chosen = useQuery(desktopSettingsQueryOptions()).data?.editor;
  const name = EDITORS.find(({ scheme }) => scheme === chosen)?.name ?? 'the editor';
  return (
    <Group gap={4} wrap="nowrap" align="stretch">
      <Button
        variant="default"
        leftSection={<IconExternalLink size={16} stroke={1.6} />}
        onClick={() => open.mutate(file)}
      >
        Open in {name}
      </Button>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon variant="default" size={32} aria-label="More about the file">
            <IconChevronDown size={16} stroke={1.6} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item component={Link} to={paths.appSettings('general')}>
            Choose the editor
          </Menu.Item>
          <CopyPath path={file.path} />
        </Menu.Dropdown>
      </Menu>
    </Group>
  );
}

function FromBrowser(file: EditorFile) {
  const [stored, setStored] = useState(chosenEditor);
  const editor = EDITORS.find(({ scheme }) => scheme === stored) ?? EDITORS[0];
  if (!editor) return null;
  const choose = (scheme: string): void => {
    setStored(scheme);
    keepEditor(scheme);
  };
  return (
    <Group gap={4} wrap="nowrap" align="stretch">
      <Button
        variant="default"
        component="a"
        href={editorLink(editor.scheme, file)}
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
            <Menu.Item key={scheme} component="a" href={editorLink(scheme, file)} onClick={() => choose(scheme)}>
              {name}
            </Menu.Item>
          ))}
          <Menu.Divider />
          <CopyPath path={file.path} />
        </Menu.Dropdown>
      </Menu>
    </Group>
  );
}

function CopyPath({ path }: { path: string }) {
  return <Menu.Item onClick={() => void copyText(path, 'Path copied')}>Copy the path</Menu.Item>;
}
