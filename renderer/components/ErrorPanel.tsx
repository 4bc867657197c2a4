import { Button } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { IconAlertCircleFilled } from '@tabler/icons-react';
import classes from './ErrorPanel.module.css';

interface ErrorPanelProps {
  message: string;
  code: string;
  onRetry?: () => void;
}

export function ErrorPanel({ message, code, onRetry }: ErrorPanelProps) {
  const clipboard = useClipboard();
  return (
    <div className={classes['panel']} role="alert">
      <IconAlertCircleFilled size={16} className={classes['icon']} aria-hidden />
      <div>
        <p>{message}</p>
        <p className={classes['code']}>
          <code>{code}</code>
        </p>
        <div className={classes['actions']}>
          {onRetry && (
            <Button size="xs" variant="default" onClick={onRetry}>
              Try again
            </Button>
          )}
          <Button
            size="xs"
            variant="subtle"
            onClick={() => clipboard.copy(`${code}: ${message} (${location.pathname})`)}
          >
            {clipboard.copied ? 'Copied' : 'Copy details'}
          </Button>
        </div>
      </div>
    </div>
  );
}
