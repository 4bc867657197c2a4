import { Group, SegmentedControl } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { metaQueryOptions } from '../../api/hub/hub-queries.ts';
import { CopyButton } from '../../components/CopyButton.tsx';
import { callSnippets, type SnippetCall } from '../../lib/call-snippets.ts';
import classes from './Playground.module.css';
import { type Draft, requestOf } from './playground-draft.ts';

/** The same call as code. */
export function Snippets({ draft }: { draft: Draft }) {
  const [language, setLanguage] = useState('curl');
  const apiUrl = useQuery(metaQueryOptions()).data?.apiUrl ?? '';
  const made = requestOf(draft);
  if ('problem' in made) return <p className="soft note pt-12 pb-12">{made.problem}</p>;
  const call = callOf(made.request);
  if (!call)
    return (
      <p className="soft note pt-12 pb-12">
        {draft.kind === 'event' ? 'Event handlers can be run' : 'Webhooks can be replayed'} from Homeport only.
      </p>
    );
  const snippets = callSnippets({
    apiUrl,
    integrationKey: draft.integrationKey,
    connectionId: draft.connectionId,
    call,
  });
  const shown = snippets.find((one) => one.language === language) ?? snippets[0];
  return (
    <>
      <Group gap={8} wrap="nowrap" justify="space-between" py={8} mih={32}>
        <SegmentedControl
          size="xs"
          aria-label="Language"
          data={snippets.map((one) => one.language)}
          value={language}
          onChange={setLanguage}
        />
        <CopyButton value={shown?.code ?? ''} label={`Copy ${shown?.language ?? 'code'}`} />
      </Group>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard. */}
      <pre className={`breaks scroll sunken pre-wrap ${classes['text']}`} tabIndex={0}>
        {shown?.code}
      </pre>
    </>
  );
}

function callOf(
  request: Extract<ReturnType<typeof requestOf>, { request: unknown }>['request'],
): SnippetCall['call'] | undefined {
  switch (request.kind) {
    case 'action':
      return { kind: 'action', name: request.name, input: request.input };
    case 'sync':
      return { kind: 'sync', name: request.name, variant: request.variant ?? 'base', isFull: request.isFull ?? false };
    case 'proxy':
      return {
        kind: 'proxy',
        method: request.method,
        endpoint: request.endpoint,
        headers: request.headers ?? {},
        bodyType: request.bodyType ?? 'json',
        body: request.body,
        fields: request.fields ?? [],
        baseUrl: request.baseUrlOverride,
        retries: request.retries ?? 0,
      };
    case 'records':
      return {
        kind: 'records',
        query: {
          model: request.model,
          ...(request.variant === undefined || request.variant === 'base' ? {} : { variant: request.variant }),
          ...(request.modifiedAfter === undefined ? {} : { modifiedAfter: request.modifiedAfter }),
          ...(request.limit === undefined ? {} : { limit: request.limit }),
          ...(request.filter?.length ? { filter: request.filter.join(',') } : {}),
          ...(request.cursor === undefined ? {} : { cursor: request.cursor }),
          ...(request.ids?.length ? { ids: request.ids } : {}),
        },
      };
    case 'event':
    case 'webhook':
      return undefined;
  }
}
