import { createSync } from 'homeport';
import * as z from 'zod';
import { Opportunity } from '../models.js';
import { changedObjects, type SalesforceObject, toIso } from '../salesforce-responses.js';

const FIELDS = ['Name', 'AccountId', 'StageName', 'Amount', 'Probability', 'CloseDate', 'IsClosed', 'IsWon', 'OwnerId'];

/** https://developer.salesforce.com/docs/atlas.en-us.object_reference.meta/object_reference/sforce_api_objects_opportunity.htm */
interface SalesforceOpportunity extends SalesforceObject {
  Name: string;
  AccountId: string | null;
  StageName: string;
  Amount: number | null;
  Probability: number | null;
  CloseDate: string;
  IsClosed: boolean;
  IsWon: boolean;
  OwnerId: string;
}

export default createSync({
  description: 'Keeps a copy of all opportunities, by what changed or was deleted since the last run',
  version: '1.0.0',
  syncType: 'incremental',
  frequency: 'every hour',
  autoStart: true,
  scopes: ['api', 'refresh_token'],
  models: { Opportunity },
  checkpoint: z.object({ changedSince: z.string() }),

  exec: async (nango) => {
    const checkpoint = await nango.getCheckpoint();
    const pages = changedObjects<SalesforceOpportunity>(nango, {
      object: 'Opportunity',
      fields: FIELDS,
      since: checkpoint?.changedSince,
    });

    for await (const { live, deleted, changedAt } of pages) {
      await nango.batchSave(live.map(toOpportunity), 'Opportunity');
      await nango.batchDelete(deleted, 'Opportunity');
      // A run that is interrupted continues after this page.
      if (changedAt) await nango.saveCheckpoint({ changedSince: changedAt });
    }
  },
});

function toOpportunity(opportunity: SalesforceOpportunity): z.infer<typeof Opportunity> {
  return {
    id: opportunity.Id,
    name: opportunity.Name,
    account_id: opportunity.AccountId,
    stage: opportunity.StageName,
    amount: opportunity.Amount,
    probability: opportunity.Probability,
    close_date: opportunity.CloseDate,
    is_closed: opportunity.IsClosed,
    is_won: opportunity.IsWon,
    owner_id: opportunity.OwnerId,
    created_at: toIso(opportunity.CreatedDate),
    updated_at: toIso(opportunity.SystemModstamp),
  };
}
