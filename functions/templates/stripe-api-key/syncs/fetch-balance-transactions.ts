import { createSync } from 'homeport';
import * as z from 'zod';
import { stripePages, toIso } from '../ask-stripe.js';
import { BalanceTransaction } from '../models.js';

/** https://docs.stripe.com/api/balance_transactions/object */
interface StripeBalanceTransaction {
  id: string;
  type: string;
  amount: number;
  fee: number;
  net: number;
  currency: string;
  source: string | null;
  description: string | null;
  available_on: number;
  created: number;
}

/** An incremental sync: entries are added and never changed, so each one is read once. */
export default createSync({
  description: 'Keeps a copy of every movement of the balance: charges, fees, refunds, payouts',
  version: '1.0.0',
  syncType: 'incremental',
  frequency: 'every hour',
  autoStart: true,
  models: { BalanceTransaction },
  checkpoint: z.object({ createdSince: z.number() }),

  exec: async (nango) => {
    const checkpoint = await nango.getCheckpoint();
    let newest: number | undefined;

    // https://docs.stripe.com/api/balance_transactions/list
    // `gte`, because another entry of the same second may have been added after the last run.
    const pages = stripePages<StripeBalanceTransaction>(nango, '/v1/balance_transactions', {
      'created[gte]': checkpoint?.createdSince,
    });

    for await (const transactions of pages) {
      newest ??= transactions[0]?.created;
      await nango.batchSave(transactions.map(toTransaction), 'BalanceTransaction');
    }

    // The newest entry comes first, so the checkpoint moves only after all were read.
    if (newest !== undefined) {
      await nango.saveCheckpoint({ createdSince: newest });
    }
  },
});

function toTransaction(transaction: StripeBalanceTransaction): z.infer<typeof BalanceTransaction> {
  return {
    id: transaction.id,
    type: transaction.type,
    amount: transaction.amount,
    fee: transaction.fee,
    net: transaction.net,
    currency: transaction.currency,
    source_id: transaction.source,
    description: transaction.description,
    available_at: toIso(transaction.available_on),
    created_at: toIso(transaction.created),
  };
}
