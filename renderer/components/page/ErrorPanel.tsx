import { Box, Button, Group } from '@mantine/core';
import { IconAlertCircleFilled } from '@tabler/icons-react';
import { describeError } from '../../lib/api-error.ts';
import { CodeLink } from '../notice/CodeLink.tsx';
import { useCopied } from '../use-copied.ts';
import { LockedNotice } from './LockedNotice.tsx';
import { PageHeader } from './PageHeader.tsx';

interface ErrorPanelProps {
  /** Anything that was thrown, or an object with `code` and `message`. */
  error: unknown;
  onRetry?: () => void;
  /** The label of its button. */
  retry?: string;
}

/** A request that needs a secret fails with this code; everything is refetched after unlocking. */
const VAULT_LOCKED = 'vault_locked';

export function ErrorPanel({ error, onRetry, retry = 'Try again' }: ErrorPanelProps) {
  const { isCopied, copy } = useCopied();
  const { message, code } = describeError(error);
  if (code === VAULT_LOCKED)
    return (
      <Box py={24} px="var(--hp-gutter)">
        <LockedNotice>Unlock the vault to see this.</LockedNotice>
      </Box>
    );
  return (
    <div className="flex gap-8" style={{ maxWidth: 640, padding: '24px var(--hp-gutter)' }} role="alert">
      <IconAlertCircleFilled size={16} className="rigid bad" style={{ marginTop: 2 }} aria-hidden />
      <div>
        <p>{message}</p>
        <p className="faint">
          <CodeLink code={code} />
        </p>
        <Group gap={8} wrap="nowrap" align="stretch" pt={8}>
          {onRetry && (
            <Button size="xs" variant="default" onClick={onRetry}>
              {retry}
            </Button>
          )}
          <Button size="xs" variant="subtle" onClick={() => void copy(`${code}: ${message} (${location.pathname})`)}>
            {isCopied ? 'Copied' : 'Copy details'}
          </Button>
        </Group>
      </div>
    </div>
  );
}

interface ErrorPageProps extends ErrorPanelProps {
  /** The heading that the page would have. */
  title: string;
}

/** A page whose data cannot be read: it keeps its heading, so that the focus and screen readers find it. */
export function ErrorPage({ title, ...panel }: ErrorPageProps) {
  return (
    <>
      <PageHeader title={title} />
      <ErrorPanel {...panel} />
    </>
  );
}
