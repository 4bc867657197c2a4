import type { DeliveryStep, StoredDelivery, WebhookDeliveryRow } from '../../stores/webhook-deliveries-store.ts';
import type { Vault } from '../../vault/vault.ts';
import type { DeliveryContent } from './delivery.ts';

/** What is kept, sealed, of an attempt: where it went, and what was answered or went wrong. */
export interface SaidAnswer {
  url: string;
  headers?: Record<string, string>;
  /** The beginning of the answer's body. */
  body?: string;
  isBodyCut?: boolean;
  /** A sentence, when no answer came. */
  problem?: string;
}

/** Sealed apart: lists open addresses only, a body may be long. */
export function sealDelivery(
  vault: Vault,
  id: string,
  { destinations, content }: { destinations: string[]; content: DeliveryContent },
): { destinations: string; content: string } {
  return {
    destinations: vault.sealJson(destinations, placeOf(id, 'destinations')),
    content: vault.sealJson(content, placeOf(id, 'content')),
  };
}

export function openDestinations(vault: Vault, { id, destinations }: WebhookDeliveryRow): string[] {
  return vault.openJson<string[]>(destinations, placeOf(id, 'destinations'));
}

export function openContent(vault: Vault, { id, content }: StoredDelivery): DeliveryContent {
  return vault.openJson<DeliveryContent>(content, placeOf(id, 'content'));
}

export function sealAnswer(vault: Vault, id: string, step: DeliveryStep, said: SaidAnswer): string {
  return vault.sealJson(said, answerPlace(id, step));
}

export function openAnswer(vault: Vault, id: string, row: DeliveryStep & { answer: string }): SaidAnswer {
  return vault.openJson<SaidAnswer>(row.answer, answerPlace(id, row));
}

function placeOf(id: string, part: string): string {
  return `webhook-delivery:${id}:${part}`;
}

function answerPlace(id: string, { destination, attempt }: DeliveryStep): string {
  return placeOf(id, `answer:${destination}:${attempt}`);
}
