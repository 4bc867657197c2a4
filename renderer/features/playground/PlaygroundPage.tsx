import { Box } from '@mantine/core';
import { PageHeader } from '../../components/page/PageHeader.tsx';
import { usePage } from '../../components/page/page-context.ts';
import { useUrlState } from '../../components/page/use-url-state.ts';
import type { PlaygroundTarget } from '../../components/shell-context.ts';
import { bytesOf } from '../../lib/base64.ts';
import { Playground } from './Playground.tsx';

const KINDS: readonly string[] = ['action', 'sync', 'proxy', 'webhook', 'event', 'records'];

/** The playground as a page; the address may hold its initial values. */
export function PlaygroundPage() {
  const url = useUrlState();
  usePage([{ label: 'Playground' }]);
  const kind = url.get('type');
  const input = url.get('input');
  const target: PlaygroundTarget = {
    ...(kind && KINDS.includes(kind) ? { kind: kind as NonNullable<PlaygroundTarget['kind']> } : {}),
    ...named('integrationKey', url.get('integration')),
    ...named('connectionId', url.get('connection')),
    ...named('name', url.get('function')),
    ...named('model', url.get('model')),
    ...named('variant', url.get('variant')),
    ...named('input', input === undefined ? undefined : fromBase64Url(input)),
  };
  return (
    <>
      <PageHeader title="Playground" />
      <Box px="var(--hp-gutter)" pb={24}>
        <Playground target={target} isPage />
      </Box>
    </>
  );
}

function named(name: keyof PlaygroundTarget, value: string | undefined): PlaygroundTarget {
  return value === undefined ? {} : { [name]: value };
}

/** Undefined for a malformed text: an address may be cut off. */
function fromBase64Url(text: string): string | undefined {
  try {
    return new TextDecoder().decode(bytesOf(text));
  } catch (error) {
    if (error instanceof DOMException) return undefined;
    throw error;
  }
}
