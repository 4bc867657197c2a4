import { ActionIcon, Button, Tooltip, UnstyledButton } from '@mantine/core';
import { IconFileImport, IconTrash } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import type { SavedPlaygroundInput } from '../../api/contract.ts';
import { savedRequestsQueryOptions } from '../../api/playground/playground-queries.ts';
import { useChange } from '../../api/use-change.ts';
import { useEnv } from '../../api/use-env.ts';
import classes from './Playground.module.css';
import { type Draft, isSavable, requestOf, sameInput, withRequest } from './playground-draft.ts';

const ImportRequests = lazy(async () => ({ default: (await import('./ImportRequests.tsx')).ImportRequests }));

interface SavedRequestsProps {
  draft: Draft;
  onChoose: (draft: Draft) => void;
}

/** The saved requests of all integrations, those of the chosen integration first. */
export function SavedRequests({ draft, onChoose }: SavedRequestsProps) {
  const env = useEnv();
  const { data } = useQuery(savedRequestsQueryOptions(env));
  const remove = useChange('DELETE /api/v1/playground/inputs/:inputId');
  const [isImporting, setImporting] = useState(false);
  if (!data) return null;
  const made = requestOf(draft);
  const request = 'request' in made && isSavable(made.request) ? made.request : undefined;
  return (
    <section className={classes['history']} aria-label="Saved requests">
      <div className={`row between ${classes['savedHead']}`} style={{ minHeight: 28 }}>
        <h2>Saved requests</h2>
        <Button
          size="xs"
          variant="default"
          leftSection={<IconFileImport size={14} stroke={1.6} aria-hidden />}
          disabled={draft.connectionId === ''}
          onClick={() => setImporting(true)}
        >
          Import
        </Button>
      </div>
      {data.length === 0 && (
        <p className="soft note">
          {draft.connectionId === ''
            ? 'None yet. With a connection chosen, requests are saved beside Run, or imported from Postman and cURL.'
            : 'None yet. Save one beside Run, or import a Postman collection or cURL commands.'}
        </p>
      )}
      {isImporting && (
        <Suspense fallback={null}>
          <ImportRequests
            connection={draft}
            onClose={() => setImporting(false)}
            onSaved={(only) => {
              setImporting(false);
              if (only) onChoose(withRequest(draft, only));
            }}
          />
        </Suspense>
      )}
      {grouped(data, draft.integrationKey).map(([integrationKey, rows]) => (
        <div key={integrationKey} role="group" aria-label={integrationKey}>
          <h3 className="soft small name" style={{ margin: '8px 0 0' }}>
            {integrationKey}
          </h3>
          <ul className="scroll">
            {rows.map((one) => (
              <li className="grid gap-4 line-above middle" key={one.id}>
                <UnstyledButton
                  className={`grid gap-12 grow middle ${classes['savedRequest']}`}
                  aria-current={
                    (integrationKey === draft.integrationKey && request && sameInput(one.request, request)) || undefined
                  }
                  onClick={() => onChoose(withRequest(draft, one.request))}
                >
                  <code className="soft">{one.request.kind === 'proxy' ? one.request.method : ''}</code>
                  <span className="cut">{one.name}</span>
                  <code className="cut faint">{one.request.kind === 'proxy' ? one.request.endpoint : ''}</code>
                </UnstyledButton>
                <Tooltip label={`Delete ${one.name}`}>
                  <ActionIcon
                    size={28}
                    aria-label={`Delete ${one.name}`}
                    onClick={() => remove.mutate({ params: { inputId: one.id } })}
                  >
                    <IconTrash size={16} stroke={1.6} aria-hidden />
                  </ActionIcon>
                </Tooltip>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </section>
  );
}

function grouped(rows: readonly SavedPlaygroundInput[], first: string): Array<[string, SavedPlaygroundInput[]]> {
  const groups = Map.groupBy(rows, ({ request }) => request.integrationKey);
  return [...groups].sort(([a], [b]) => Number(b === first) - Number(a === first));
}
