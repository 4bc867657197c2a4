import { Button, Group, Text } from '@mantine/core';
import { IconCircleCheckFilled, IconCircleDashed } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useCreateKey } from '../../api/apps/apps-mutations.ts';
import { apiKeysQueryOptions } from '../../api/apps/apps-queries.ts';
import { KEY_PRESETS } from '../../api/contract.ts';
import { metaQueryOptions } from '../../api/hub/hub-queries.ts';
import { useEnv } from '../../api/use-env.ts';
import { CopyButton } from '../../components/CopyButton.tsx';
import { type LanguageSnippet, SnippetBox } from '../../components/code/SnippetBox.tsx';
import { OpenModal } from '../../components/notice/OpenModal.tsx';
import { KeyForm } from './KeyForm.tsx';

/** Creates a key, shows it once with code to paste, and waits for the first call of the app. */
export function NewKey({ onClose }: { onClose: () => void }) {
  const create = useCreateKey();
  const created = create.data;
  return (
    <OpenModal
      onClose={onClose}
      title={created ? `The key of ${created.name}` : 'New key'}
      size={600}
      withCloseButton={false}
      closeOnClickOutside={!created}
      isSaved={created !== undefined}
    >
      {created ? (
        <CreatedKey keyId={created.id} secret={created.secret} scopes={create.variables.scopes} onClose={onClose} />
      ) : (
        <KeyForm
          draft={{ name: '', scopes: [...KEY_PRESETS.read], allowed: null, icon: null, colour: null }}
          action="Create key"
          isPending={create.isPending}
          error={create.error}
          onCancel={onClose}
          onSubmit={(draft) => create.mutate(draft)}
        />
      )}
    </OpenModal>
  );
}

interface CreatedKeyProps {
  keyId: number;
  secret: string;
  scopes: readonly string[];
  onClose: () => void;
}

function CreatedKey({ keyId, secret, scopes, onClose }: CreatedKeyProps) {
  const env = useEnv();
  const { data: meta } = useQuery(metaQueryOptions());
  const { data: keys } = useQuery(apiKeysQueryOptions(env));
  const isUsed = (keys?.find(({ id }) => id === keyId)?.calls ?? 0) > 0;
  return (
    <>
      <Text size="md" c="dimmed">
        It is shown only once. Store it where your app can read it, for example in an environment variable.
      </Text>
      <div className="row gap-4 breaks frame sunken" style={{ margin: '12px 0', padding: '8px 8px 8px 12px' }}>
        <code style={{ flex: 1 }}>{secret}</code>
        <CopyButton value={secret} isSecret label="Copy key" />
      </div>
      {meta && <SnippetBox snippets={snippetsOf(meta.apiUrl, scopes)} />}
      <p className="row soft" style={{ padding: '16px 0 0' }} data-tone={isUsed ? 'ok' : undefined} role="status">
        {isUsed ? (
          <>
            <IconCircleCheckFilled size={16} aria-hidden /> The first call has arrived.
          </>
        ) : (
          <>
            <IconCircleDashed size={16} stroke={1.6} aria-hidden /> Waiting for the first call…
          </>
        )}
      </p>
      <Group justify="flex-end" mt={16}>
        <Button data-autofocus onClick={onClose}>
          Done
        </Button>
      </Group>
    </>
  );
}

/** The code reads the key from the app's environment, so that it is in no file. */
function snippetsOf(apiUrl: string, scopes: readonly string[]): LanguageSnippet[] {
  const path = scopes.some((scope) => /^environment:(\*|connections:list|connections:\*)$/.test(scope))
    ? '/connections'
    : '/providers';
  return [
    { language: 'curl', code: `curl ${apiUrl}${path} \\\n  -H "Authorization: Bearer $HOMEPORT_KEY"` },
    {
      language: 'Node',
      code: `import { Nango } from '@nangohq/node';\n\nconst homeport = new Nango({\n  host: '${apiUrl}',\n  apiKey: process.env.HOMEPORT_KEY,\n});\nconsole.log(await homeport.${path === '/connections' ? 'listConnections()' : 'listProviders({})'});`,
    },
    {
      language: 'Python',
      code: `import json, os, urllib.request\n\ncall = urllib.request.Request('${apiUrl}${path}')\ncall.add_header('Authorization', 'Bearer ' + os.environ['HOMEPORT_KEY'])\nprint(json.load(urllib.request.urlopen(call)))`,
    },
  ];
}
