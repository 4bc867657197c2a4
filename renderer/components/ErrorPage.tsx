import { ErrorPanel } from './ErrorPanel.tsx';
import { PageHeader } from './PageHeader.tsx';

interface ErrorPageProps {
  /** The heading that the page would have. */
  title: string;
  message: string;
  code: string;
  onRetry: () => void;
}

/** A page whose data cannot be read: it keeps its heading, so that the focus and screen readers find it. */
export function ErrorPage({ title, message, code, onRetry }: ErrorPageProps) {
  return (
    <>
      <PageHeader title={title} />
      <ErrorPanel message={message} code={code} onRetry={onRetry} />
    </>
  );
}
