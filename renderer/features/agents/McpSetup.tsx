import { Box, Button, Group, SegmentedControl } from '@mantine/core';
import { useState } from 'react';
import type { ConnectionRef } from '../../api/connections/connections-queries.ts';
import { CopyButton } from '../../components/CopyButton.tsx';
import { Fact, FactList } from '../../components/FactList.tsx';
import { Section } from '../../components/page/Section.tsx';
import { readStored, writeStored } from '../../lib/stored.ts';
import { ConnectionPicker } from './ConnectionPicker.tsx';
import { mcpSnippets } from './mcp-snippets.ts';
import { NoConnection } from './NoConnection.tsx';
import { useChosenConnection } from './use-chosen-connection.ts';

/** The placeholder for the key. */
const NO_SECRET = '<key of the agent>';
const STORED = 'mcpClient';

interface McpSetupProps {
  url: string;
  /** Secret of the key that was just created. */
  secret: string | undefined;
  onCreate: () => void;
}

/** The configuration that connects a client to the tools. */
export function McpSetup({ url, secret, onCreate }: McpSetupProps) {
  const { connection, isGuess, choose } = useChosenConnection();
  if (connection === null) return <NoConnection />;
  if (!connection) return null;
  return (
    <Box py={16} px="var(--hp-gutter)">
      <Section title="Connect a client">
        <FactList wide>
          <Fact label="Connection">
            <ConnectionPicker connection={connection} onChoose={choose} />
            {isGuess && <span className="faint">The one that was used last</span>}
          </Fact>
          <Fact label="Key">
            {secret === undefined ? (
              <Button size="xs" variant="default" onClick={onCreate}>
                Create a key
              </Button>
            ) : (
              'The one you just made, until you leave this page'
            )}
          </Fact>
        </FactList>
        <p className="faint small pt-8" style={{ maxWidth: 640 }}>
          This is the older way: the client keeps a key, and names the connection by two headers. A program that you set
          up under Programs needs no key, and its access ends by itself.
        </p>
      </Section>
      <Snippets url={url} secret={secret ?? NO_SECRET} connection={connection} />
    </Box>
  );
}

function Snippets({ url, secret, connection }: { url: string; secret: string; connection: ConnectionRef }) {
  const { integrationKey, connectionId } = connection;
  const snippets = mcpSnippets({ url, secret, integrationKey, connectionId });
  const [stored, setStored] = useState(() => readStored(STORED, ''));
  const shown = snippets.find(({ client }) => client === stored) ?? snippets[0];
  const choose = (client: string): void => {
    setStored(client);
    writeStored(STORED, client);
  };
  if (!shown) return null;
  return (
    <Section title="Configuration">
      <div className="scroll" style={{ maxWidth: '100%' }}>
        <SegmentedControl
          aria-label="Client"
          size="xs"
          data={snippets.map(({ client }) => client)}
          value={shown.client}
          onChange={choose}
        />
      </div>
      <Group gap={8} wrap="nowrap" justify="space-between" pt={12} pb={4}>
        <span className="soft">{shown.target}</span>
        <CopyButton value={shown.code} isSecret label="Copy snippet" />
      </Group>
      <pre className="scroll frame sunken" style={{ padding: '12px 16px' }}>
        {shown.code}
      </pre>
    </Section>
  );
}
