import { createOnEvent } from 'homeport';

/** Runs once for every new connection, before its syncs start. A good place to read facts that the syncs need. */
export default createOnEvent({
  description: 'Stores in the metadata to whose account the connection belongs',
  version: '1.0.0',
  event: 'post-connection-creation',

  exec: async (nango) => {
    const response = await nango.get<{ id: string; login: string }>({ endpoint: '/v1/me', retries: 3 });

    // updateMetadata adds to the existing metadata; setMetadata would replace it.
    await nango.updateMetadata({ accountId: response.data.id, accountLogin: response.data.login });
  },
});
