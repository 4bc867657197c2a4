import type {
  OutgoingWebhookDetail,
  OutgoingWebhookRow,
} from '../../contract/dashboard/dashboard-outgoing-webhooks.ts';
import type { DeliveryDetail, DeliverySummary } from '../../services/notifications/delivery-history.ts';
import { isoDate, isoDateOrNull } from '../present/dates.ts';

export function viewOutgoingWebhook(delivery: DeliverySummary): OutgoingWebhookRow {
  const { createdAt, nextAttemptAt, finishedAt, ...facts } = delivery;
  return {
    ...facts,
    createdAt: isoDate(createdAt),
    nextAttemptAt: isoDateOrNull(nextAttemptAt),
    finishedAt: isoDateOrNull(finishedAt),
  };
}

export function viewOutgoingWebhookDetail({ attempts, ...delivery }: DeliveryDetail): OutgoingWebhookDetail {
  const { body, destinations, headers, ...summary } = delivery;
  return {
    ...viewOutgoingWebhook(summary),
    body,
    destinations,
    headers,
    attempts: attempts.map(({ startedAt, ...attempt }) => ({ ...attempt, startedAt: isoDate(startedAt) })),
  };
}
