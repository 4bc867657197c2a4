import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import type { MessageListItem, RecordedBodyView, RecordedExchange } from '../../api/contract.ts';
import { recordingQueryOptions } from '../../api/traffic/traffic-queries.ts';
import { useEnv } from '../../api/use-env.ts';
import { BodyView } from '../../components/json/BodyView.tsx';
import { ErrorPanel } from '../../components/page/ErrorPanel.tsx';
import { ApiError } from '../../lib/api-error.ts';
import { formatBytes } from '../../lib/format-number.ts';
import { paths } from '../../lib/paths.ts';

/** The bodies of one request, if its traffic was recorded. */
export function useRecording(operationId: string, { recordingId }: Pick<MessageListItem, 'recordingId'>) {
  return useQuery(recordingQueryOptions(useEnv(), operationId, recordingId));
}

/** Why there are no bodies. */
export function UnrecordedNote() {
  return (
    <p className="faint small pt-8">
      Bodies are kept while <Link to={paths.appSettings('data')}>traffic recording</Link> is on. It was off during this
      request.
    </p>
  );
}

interface RecordedBodiesProps {
  message: MessageListItem;
  recording: ReturnType<typeof useRecording>;
}

export function RecordedBodies({ message, recording: { data, error, refetch } }: RecordedBodiesProps) {
  if (error instanceof ApiError && error.status === 404)
    return <p className="faint small pt-8">The bodies of this request were deleted.</p>;
  if (error) return <ErrorPanel error={error} onRetry={() => void refetch()} />;
  return data ? <Bodies exchange={data} hasAnswer={message.response !== null} /> : null;
}

function Bodies({
  exchange: { request, response },
  hasAnswer: hasResponse,
}: {
  exchange: RecordedExchange;
  hasAnswer: boolean;
}) {
  return (
    <>
      <Body title="Request body" label="request body" body={request} />
      {hasResponse && <Body title="Response body" label="response body" body={response} />}
    </>
  );
}

function Body({ title, label, body }: { title: string; label: string; body: RecordedBodyView | null }) {
  return (
    <div>
      <h3>
        {title} <span className="soft">{factsOf(body)}</span>
      </h3>
      {body && body.text !== '' && <BodyView text={body.text} label={label} maxHeight={280} />}
    </div>
  );
}

/** "412 kB, application/json, incomplete". */
function factsOf(body: RecordedBodyView | null): string {
  if (!body || (body.sizeBytes === 0 && !body.isCut)) return 'none';
  return [
    formatBytes(body.sizeBytes),
    ...(body.contentType === null ? [] : [body.contentType]),
    ...(body.encoding === 'base64' ? ['not text, shown as base64'] : []),
    ...(body.isCut ? ['incomplete'] : []),
  ].join(', ');
}
