import { Button, PasswordInput, SegmentedControl, Stack, TextInput } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import type { TriedEntry } from '../../api/contract.ts';
import { useTryProviderEntry } from '../../api/integrations/integrations-mutations.ts';
import { Section } from '../../components/page/Section.tsx';
import { formatDuration } from '../../lib/format-time.ts';
import { printJson } from '../../lib/json-digits.ts';
import { readEntryDocument } from './entry-document.ts';

/** Titles of credential fields by auth type, for an entry without its own. */
const OF_MODE: Record<string, Record<string, string>> = {
  API_KEY: { apiKey: 'API key' },
  BASIC: { username: 'User name', password: 'Password' },
  OAUTH2: { access_token: 'Access token' },
  OAUTH2_CC: { token: 'Token' },
};
const SECRET = /key|token|secret|password/i;

/** Sends one request with the unsaved entry. Values typed here are not stored. */
export function EntryTrial({ text, provider, authMode }: { text: string; provider: string; authMode: string }) {
  const entry = readEntryDocument(text);
  const hasPage = authMode === 'OAUTH2';
  const [what, setWhat] = useState<'request' | 'authorization'>('request');
  const [endpoint, setEndpoint] = useState('');
  const [clientId, setClientId] = useState('');
  const [values, setValues] = useState<Record<string, string>>({});
  const attempt = useTryProviderEntry();
  const own = Object.keys(entry?.map(['credentials']) ?? {});
  const ofMode = OF_MODE[authMode] ?? {};
  const credentialNames = own.length > 0 ? own : Object.keys(ofMode);
  const titleOf = (part: string, name: string): string => entry?.text([part, name, 'title']) || ofMode[name] || name;
  const configNames = Object.keys(entry?.map(['connection_config']) ?? {});
  const isPage = hasPage && what === 'authorization';
  const path = endpoint === '' ? entry?.text(['proxy', 'verification', 'endpoints']) || '/' : endpoint;
  const pick = (names: string[]): Record<string, string> =>
    Object.fromEntries(names.map((name) => [name, values[name] ?? '']));
  const run = (): void =>
    attempt.mutate({
      text,
      provider,
      connectionConfig: pick(configNames),
      credentials: pick(credentialNames),
      clientId,
      scopes: '',
      ...(isPage ? {} : { request: { method: 'GET' as const, endpoint: path } }),
    });
  return (
    <Section
      title="Try it"
      aside={
        hasPage && (
          <SegmentedControl
            size="xs"
            aria-label="What to try"
            value={what}
            onChange={(next) => setWhat(next as typeof what)}
            data={[
              { value: 'request', label: 'A request' },
              { value: 'authorization', label: 'The sign-in page' },
            ]}
          />
        )
      }
    >
      <Stack>
        <div
          className="grid"
          style={{
            gridTemplateColumns: 'repeat(auto-fit, minmax(min(220px, 100%), 1fr))',
            gap: '12px 16px',
            alignItems: 'end',
          }}
        >
          {isPage ? (
            <TextInput
              label="Client ID (optional)"
              value={clientId}
              onChange={(event) => setClientId(event.currentTarget.value)}
            />
          ) : (
            <>
              <TextInput
                label="Path of the request"
                placeholder={path}
                value={endpoint}
                spellCheck={false}
                onChange={(event) => setEndpoint(event.currentTarget.value)}
              />
              {credentialNames.map((name) => {
                const Input = SECRET.test(name) ? PasswordInput : TextInput;
                return (
                  <Input
                    key={name}
                    label={titleOf('credentials', name)}
                    autoComplete="off"
                    value={values[name] ?? ''}
                    onChange={(event) =>
                      setValues({
                        ...values,
                        [name]: event.currentTarget.value,
                      })
                    }
                  />
                );
              })}
            </>
          )}
          {configNames.map((name) => (
            <TextInput
              key={name}
              label={titleOf('connection_config', name)}
              value={values[name] ?? ''}
              onChange={(event) => setValues({ ...values, [name]: event.currentTarget.value })}
            />
          ))}
        </div>
        <div>
          <Button variant="default" onClick={run} loading={attempt.isPending}>
            {isPage ? 'Test the sign-in page' : 'Send'}
          </Button>
        </div>
        {attempt.data && <Response answer={attempt.data} isPage={isPage} />}
      </Stack>
    </Section>
  );
}

function Response({ answer: response, isPage }: { answer: TriedEntry; isPage: boolean }) {
  const { method, url, status, error, body, durationMs } = response;
  const box = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each response is brought into view.
  useEffect(() => {
    box.current?.scrollIntoView({ block: 'nearest' });
  }, [response]);
  return (
    <div ref={box} className="card sunken" style={{ padding: '10px 12px' }} role="status">
      <p>
        <code>{method}</code> <code className="breaks">{url}</code>
      </p>
      {error === null ? (
        <p>
          <b>{status}</b> <span className="soft">after {formatDuration(durationMs)}</span>
        </p>
      ) : (
        <p className="bad">{error}</p>
      )}
      {isPage && status !== null && (
        <p className="soft">
          {status < 400
            ? 'The address answers as a sign-in page does.'
            : 'The address answers. Without a registered client many providers refuse here.'}
        </p>
      )}
      {!isPage && body !== '' && (
        <pre className="scroll breaks pre-wrap" style={{ maxHeight: 240, marginTop: 8 }}>
          {printJson(body).slice(0, 4000)}
        </pre>
      )}
    </div>
  );
}
