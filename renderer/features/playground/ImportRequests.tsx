import { Button, FileButton, Group, Textarea } from '@mantine/core';
import { IconFileImport, IconX } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useDeferredValue, useMemo, useState } from 'react';
import type { ConnectionRef } from '../../api/connections/connections-queries.ts';
import { referencedVariables, type SavableRequest } from '../../api/contract.ts';
import { integrationChoicesQueryOptions, providerQueryOptions } from '../../api/integrations/integrations-queries.ts';
import { settingsQueryOptions } from '../../api/settings/settings-queries.ts';
import { useChange } from '../../api/use-change.ts';
import { useEnv } from '../../api/use-env.ts';
import { notifyDone, notifyError } from '../../components/notice/notify.ts';
import { OpenModal } from '../../components/notice/OpenModal.tsx';
import { formatCount, formatNumber } from '../../lib/format-number.ts';
import { type ImportedRequest, ImportProblem } from './import/imported-request.ts';
import { readRequests } from './import/read-requests.ts';
import classes from './Playground.module.css';

const SHOWN = 100;
const MAX_NAMED = 8;

interface ImportRequestsProps {
  connection: ConnectionRef;
  onClose: () => void;
  /** A single request is what one wants to send next. */
  onSaved: (only: SavableRequest | undefined) => void;
}

/** Saves the requests of a Postman collection or of cURL commands, all or none, after they were shown. */
export function ImportRequests({ connection, onClose, onSaved }: ImportRequestsProps) {
  const env = useEnv();
  const { integrationKey, connectionId } = connection;
  const [typed, setTyped] = useState('');
  const [file, setFile] = useState<{ name: string; text: string }>();
  const integration = useQuery(integrationChoicesQueryOptions(env)).data?.find(({ key }) => key === integrationKey);
  const provider = useQuery(providerQueryOptions(integration?.provider));
  const save = useChange('POST /api/v1/playground/requests');
  const text = useDeferredValue(file?.text ?? typed);
  const isReady = integration !== undefined && !provider.isPending;
  const baseUrl = provider.data?.baseUrl ?? null;
  const read = useMemo(
    () => (isReady && text.trim() !== '' ? tryRead(text, baseUrl) : undefined),
    [text, baseUrl, isReady],
  );
  const found = read && 'requests' in read ? read.requests : [];
  const submit = (): void => {
    const requests = found.map(({ name, request }) => ({ name, request: { kind: 'proxy' as const, ...request } }));
    save.mutate(
      { body: { integrationKey, connectionId, requests } },
      {
        onSuccess: ({ data }) => {
          notifyDone(`${formatCount(data.length, 'request')} saved`);
          onSaved(data.length === 1 ? data[0]?.request : undefined);
        },
      },
    );
  };
  return (
    <OpenModal title="Import requests" size={640} onClose={onClose}>
      <form
        className="stack gap-12"
        onSubmit={(event) => {
          event.preventDefault();
          // The form of the playground around this one must not be submitted.
          event.stopPropagation();
          if (found.length > 0) submit();
        }}
      >
        <p className="soft">
          From a Postman collection (v2.1) or cURL commands, saved for <code>{integrationKey}</code>. Requests go to its
          own address, with the credentials of the connection.
        </p>
        {file ? (
          <div className="row">
            <IconFileImport size={16} stroke={1.6} aria-hidden />
            <span className="cut">{file.name}</span>
            <Button
              size="xs"
              variant="subtle"
              leftSection={<IconX size={14} stroke={1.6} aria-hidden />}
              onClick={() => setFile(undefined)}
            >
              Remove the file
            </Button>
          </div>
        ) : (
          <Textarea
            label="Commands or collection"
            placeholder="curl https://api.example.com/v1/users -H 'Accept: application/json'"
            data-autofocus
            autosize
            minRows={4}
            maxRows={10}
            spellCheck={false}
            classNames={{ input: 'mono' }}
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
          />
        )}
        {read && 'problem' in read && (
          <p role="alert" className="bad small">
            {read.problem}
          </p>
        )}
        {read && 'requests' in read && <Preview {...read} />}
        <Group gap={8}>
          <Button type="submit" loading={save.isPending} disabled={found.length === 0}>
            {found.length === 0 ? 'Save requests' : `Save ${formatCount(found.length, 'request')}`}
          </Button>
          <FileButton
            accept=".json,.sh,.txt,.curl,application/json,text/plain"
            onChange={(chosen) =>
              chosen &&
              void chosen.text().then(
                (content) => setFile({ name: chosen.name, text: content }),
                () =>
                  notifyError({ code: 'file_unreadable', message: `${chosen.name} cannot be read. Choose it again.` }),
              )
            }
          >
            {(button) => (
              <Button variant="default" {...button}>
                Choose a file
              </Button>
            )}
          </FileButton>
        </Group>
      </form>
    </OpenModal>
  );
}

function tryRead(
  text: string,
  baseUrl: string | null,
): { requests: ImportedRequest[]; notes: string[] } | { problem: string } {
  try {
    return readRequests(text, baseUrl);
  } catch (error) {
    if (error instanceof ImportProblem) return { problem: error.message };
    throw error;
  }
}

function Preview({ requests, notes }: { requests: ImportedRequest[]; notes: string[] }) {
  const env = useEnv();
  const variables = useQuery(settingsQueryOptions(env)).data?.variables;
  const used = useMemo(
    () =>
      referencedVariables(
        requests.flatMap(({ request: { endpoint, headers = {}, body = '', fields = [] } }) => [
          endpoint,
          ...Object.entries(headers).flat(),
          body,
          ...fields.flatMap(({ name, value = '' }) => [name, value]),
        ]),
      ),
    [requests],
  );
  const missing = variables ? used.filter((name) => !variables.some((one) => one.name === name)) : [];
  const named = missing.slice(0, MAX_NAMED).join(', ');
  const more = missing.length > MAX_NAMED ? ` and ${formatNumber(missing.length - MAX_NAMED)} more` : '';
  const sentences = [
    ...notes,
    ...(missing.length > 0
      ? [`${env} has no variable ${named}${more} yet: add it in the settings before you send.`]
      : []),
  ];
  return (
    <>
      <section
        className={`scroll line-below ${classes['found']}`}
        style={{ maxHeight: 240 }}
        aria-label="What is saved"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard.
        tabIndex={0}
      >
        <ul>
          {requests.slice(0, SHOWN).map(({ name, request }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: names may repeat, and the list never changes its order
            <li className="grid gap-12 line-above middle" key={index}>
              <code className="soft">{request.method}</code>
              <span className="cut">{name}</span>
              <code className="cut faint">{request.endpoint}</code>
            </li>
          ))}
        </ul>
        {requests.length > SHOWN && <p className="faint">and {formatNumber(requests.length - SHOWN)} more</p>}
      </section>
      {sentences.length > 0 && (
        <ul className="stack gap-4 soft note">
          {sentences.slice(0, 10).map((one) => (
            <li key={one}>{one}</li>
          ))}
        </ul>
      )}
    </>
  );
}
