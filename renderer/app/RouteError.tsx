import { useRouteError } from 'react-router';
import { ErrorPanel } from '../components/ErrorPanel.tsx';

export function RouteError() {
  const error = useRouteError();
  const text = error instanceof Error ? `${error.name}: ${error.message}` : 'unexpected';
  return (
    <ErrorPanel
      message="This page stopped working. Reload to try again."
      code={text}
      onRetry={() => location.reload()}
    />
  );
}
