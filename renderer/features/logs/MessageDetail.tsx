import { CloseButton } from '@mantine/core';
import type { MessageRow } from '../../api/contract.ts';
import { JsonTree } from '../../components/JsonTree.tsx';
import classes from './OperationPanel.module.css';

/** The parts of a message that its row has no room for. */
function partsOf(message: MessageRow): Record<string, unknown> {
  const { error, request, response, retry, meta, durationMs, context, source } = message;
  const parts = { error, request, response, retry, meta, durationMs, context, source };
  return Object.fromEntries(Object.entries(parts).filter(([, value]) => value !== null));
}

export function MessageDetail({ message, onClose }: { message: MessageRow; onClose: () => void }) {
  return (
    <section className={classes['detail']} aria-label="Message">
      <div className={classes['detailHead']}>
        <p>{message.message}</p>
        <CloseButton size={24} aria-label="Close message" onClick={onClose} />
      </div>
      <JsonTree value={partsOf(message)} label="message" maxHeight={240} />
    </section>
  );
}
