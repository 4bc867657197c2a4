import { Box, Button, VisuallyHidden } from '@mantine/core';
import type { ProviderChange } from '../../api/contract.ts';
import { useApproveProvider } from '../../api/integrations/integrations-mutations.ts';
import { useConfirm } from '../../components/notice/use-confirm.tsx';
import { Banner } from '../../components/page/Banner.tsx';

/** Changes of providers.yaml to this provider, which connections do not use until a person approves them. */
export function PendingChange({ change }: { change: ProviderChange }) {
  const approve = useApproveProvider();
  const confirm = useConfirm();
  const { provider, kind, hash, changes } = change;
  const question = {
    title: 'Apply the change of your workspace?',
    text: <ChangeList changes={changes} />,
    action: 'Apply change',
    isHarmless: true,
    run: () => approve.mutateAsync({ provider, hash }),
  };
  return (
    <Box px="var(--hp-gutter)">
      <Banner
        tone="warn"
        actions={
          <Button variant="default" size="xs" onClick={() => confirm.ask(question)}>
            Review
          </Button>
        }
      >
        {kind === 'removal' ? (
          <>
            <b>Your workspace no longer has the entry of {provider}.</b> Its connections keep it until you approve.
          </>
        ) : (
          <>
            <b>Your workspace changed the entry of {provider}.</b> Its connections keep the old one until you approve.
          </>
        )}
      </Banner>
      {confirm.dialog}
    </Box>
  );
}

function ChangeList({ changes }: Pick<ProviderChange, 'changes'>) {
  return (
    <dl className="stack gap-16">
      {changes.map(({ keyPath, before, after }) => (
        <div key={keyPath}>
          <dt className="note soft name pb-4">
            <code>{keyPath}</code>
          </dt>
          <dd className="mono breaks removed" style={{ padding: '4px 8px' }}>
            <VisuallyHidden>Now: </VisuallyHidden>
            {before ?? <i className="soft">not set</i>}
          </dd>
          <dd className="mono breaks added" style={{ padding: '4px 8px' }}>
            <VisuallyHidden>Then: </VisuallyHidden>
            {after ?? <i className="soft">not set</i>}
          </dd>
        </div>
      ))}
    </dl>
  );
}
