import { isoDate } from '../platform/lib/dates.ts';
import type { SavedQueryView } from './queries.contract.ts';
import type { SavedQuery } from './saved-queries.service.ts';

export function presentSavedQuery({ createdAt, updatedAt, ...saved }: SavedQuery): SavedQueryView {
  return { ...saved, created_at: isoDate(createdAt), updated_at: isoDate(updatedAt) };
}
