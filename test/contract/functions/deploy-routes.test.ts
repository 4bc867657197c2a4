import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FunctionHub, startFunctionHub } from '../../support/function-hub.ts';
import { actionSource, removeFunction } from '../../support/server-workspace.ts';
import { waitFor } from '../../support/wait-for.ts';
import { pushedAction, pushedSync } from './pushed-action.ts';

let hub: FunctionHub;
beforeAll(async () => {
  hub = await startFunctionHub({ 'actions/of-file.ts': actionSource('return 1;') });
});
afterAll(() => hub?.stop());

const action = (name: string, response = 'pushed') => pushedAction(name, { response, integration: 'acme' });
const sync = (name: string) => pushedSync(name, 'acme');

const body = (flowConfigs: unknown[], further: object = {}) => ({
  flowConfigs,
  onEventScriptsByProvider: [],
  reconcile: true,
  debug: false,
  deployMode: 'all',
  sdkVersion: '0.71.0-zero',
  ...further,
});
const plan = (flowConfigs: unknown[], further?: object) =>
  hub.call('POST', '/sync/deploy/confirmation', { body: body(flowConfigs, further) });
const deploy = (flowConfigs: unknown[], further?: object) =>
  hub.call('POST', '/sync/deploy', { body: { ...body(flowConfigs, further), nangoYamlBody: '' } });
const liveNames = async (): Promise<string[]> => {
  const { body: response } = await hub.call('GET', '/integrations/acme/functions');
  return (response.data as Array<{ name: string }>).map(({ name }) => name);
};

describe('a deploy', () => {
  it('says what it would change, changes it, and what was deployed runs', async () => {
    await deploy([action('kept')]);
    const planned = await plan([action('kept'), action('new'), sync('news')]);
    expect(planned.status).toBe(200);
    expect(planned.body).toMatchObject({
      newActions: [{ name: 'new', providerConfigKey: 'acme' }],
      newSyncs: [{ name: 'news', providerConfigKey: 'acme', auto_start: false }],
      updatedActions: [],
      deletedActions: [],
      deletedModels: [],
    });
    expect(await liveNames()).toEqual(['kept', 'of-file']);

    const deployed = await deploy([action('kept'), action('new'), sync('news')]);

    expect(deployed.body).toMatchObject([
      { name: 'kept', version: '1' },
      { name: 'new', version: '1', type: 'action', providerConfigKey: 'acme' },
      { name: 'news', version: '1', type: 'sync', models: ['Item'], runs: 'every hour' },
    ]);
    expect((await hub.action('new')).body).toBe('pushed');
    const scope = { provider_config_key: 'acme', connection_id: 'c1' };
    await hub.call('POST', '/sync/trigger', { body: { ...scope, syncs: ['news'] } });
    await waitFor(async () => (await hub.records('model=Item')).body.records?.length === 1, { what: 'the record' });
  });

  it('counts versions up for what changed and leaves the rest alone', async () => {
    const versions = (deployed: Array<{ name: string; version: string }>) =>
      Object.fromEntries(deployed.map(({ name, version }) => [name, Number(version)]));
    const before = versions((await deploy([action('one'), action('two'), sync('items')])).body);

    const changed = [action('one', 'changed'), action('two'), sync('items')];
    expect((await plan(changed)).body).toMatchObject({ updatedActions: [{ name: 'one' }], newActions: [] });
    const { body: deployed } = await deploy(changed);

    expect(versions(deployed)).toEqual({ ...before, one: (before['one'] ?? 0) + 1 });
    expect((await hub.action('one')).body).toBe('changed');
  });

  it('counts up from a version that was given', async () => {
    await deploy([{ ...action('labelled'), version: '1.2.9' }]);

    const { body: deployed } = await deploy([action('labelled', 'changed')]);

    expect(deployed).toMatchObject([{ name: 'labelled', version: '1.2.10' }]);
  });

  it('takes models that stand beside the functions, with what they refer to', async () => {
    const { models_json_schema: _own, ...flow } = sync('items');
    const item = { type: 'object', properties: { id: { type: 'string' }, part: { $ref: '#/definitions/Part' } } };
    const definitions = { Item: item, Part: { type: 'object' }, Other: { type: 'object' } };

    expect((await deploy([flow])).body.error.code).toBe('deploy_missing_json_schema_model');
    expect((await deploy([flow], { jsonSchema: { definitions } })).status).toBe(200);

    const { body: config } = await hub.call('GET', '/scripts/config');
    const stored = config[0].syncs.find(({ name }: { name: string }) => name === 'items');
    expect(stored.json_schema).toEqual({ definitions: { Item: item, Part: { type: 'object' } } });
  });

  it('keeps attributes and the version of the SDK, and leaves out an invalid input', async () => {
    const { input: _none, ...flow } = action('described');
    const { body: deployed } = await deploy([{ ...flow, attributes: { team: 'a' } }, sync('items')]);

    expect(deployed).toHaveLength(2);
    for (const one of deployed) expect(one).not.toHaveProperty('input');
    const { body: config } = await hub.call('GET', '/scripts/config');
    const stored = config[0].actions.find(({ name }: { name: string }) => name === 'described');
    expect(stored).toMatchObject({ attributes: { team: 'a' }, sdk_version: '0.71.0-zero' });
    expect(stored).not.toHaveProperty('input');
    expect(config[0].syncs).toMatchObject([{ name: 'items', attributes: {} }]);
  });

  it('hands its attributes to the runs of a sync', async () => {
    const js = `exports.default = { type: 'sync', exec: async (nango) => {
      await nango.batchSave([{ id: '1', attributes: nango.getFlowAttributes() }], 'Told');
    } };`;
    const flow = {
      ...sync('told'),
      models: ['Told'],
      models_json_schema: { definitions: { Told: { type: 'object' } } },
      attributes: { team: 'a' },
      fileBody: { js, ts: '// told' },
    };
    await deploy([flow], { deployMode: 'single' });

    await hub.call('POST', '/sync/trigger', {
      body: { provider_config_key: 'acme', connection_id: 'c1', syncs: ['told'] },
    });

    await waitFor(async () => (await hub.records('model=Told')).body.records?.length === 1, { what: 'the record' });
    expect((await hub.records('model=Told')).body.records).toMatchObject([{ attributes: { team: 'a' } }]);
  });

  it('removes what a full one no longer names, but never a file of the functions folder', async () => {
    await deploy([action('one'), sync('items')]);

    expect((await plan([action('one')])).body).toMatchObject({
      deletedSyncs: [{ name: 'items', connections: 1 }],
      deletedModels: ['Item'],
      deletedActions: [],
    });
    await deploy([action('one')]);

    expect(await liveNames()).toEqual(['of-file', 'one']);
    expect((await hub.action('of-file')).body).toBe(1);
  });

  it('lists what it would delete, with any value of `reconcile` in the confirmation', async () => {
    await deploy([action('one'), sync('items')]);

    const { body: planned } = await plan([action('one')], { reconcile: false });

    expect(planned).toMatchObject({ deletedSyncs: [{ name: 'items', connections: 1 }], deletedModels: ['Item'] });
    const single = await plan([action('one')], { reconcile: false, deployMode: 'single' });
    expect(single.body).toMatchObject({ deletedSyncs: [], deletedModels: [] });
    await deploy([action('one')], { reconcile: false });
    expect(await liveNames()).toContain('items');
  });

  it('for an integration that does not exist deploys nothing and names it', async () => {
    const lost = pushedAction('lost', { integration: 'nosuch' });
    const script = { name: 'hook', event: 'validate-connection', fileBody: { js: 'exports.default = {};', ts: '' } };
    const scripts = { onEventScriptsByProvider: [{ providerConfigKey: 'typo', scripts: [script] }] };

    for (const refused of [
      await plan([action('beside'), lost], scripts),
      await deploy([action('beside'), lost], scripts),
    ]) {
      expect([refused.status, refused.body.error.code]).toEqual([400, 'unknown_provider_config']);
      expect(refused.body.error.message).toContain('"nosuch", "typo"');
    }
    expect(await liveNames()).not.toContain('beside');
  });

  it('takes scopes that are empty texts', async () => {
    const scoped = { ...action('scoped'), metadata: { description: '', scopes: ['', 'repo'] } };

    expect((await deploy([scoped], { deployMode: 'single' })).status).toBe(200);
  });

  it('names the function that does not fit', async () => {
    const { body: response } = await deploy([action('fits'), { ...action('bad'), models: [''] }]);

    expect(response.error.errors).toMatchObject([
      { path: ['flowConfigs', '1', 'models', '0'], message: expect.stringMatching(/^acme\/bad: /) },
    ]);
  });

  it('of a single function removes nothing, and neither does an empty one', async () => {
    await deploy([action('one'), action('two')]);

    await deploy([action('one')], { deployMode: 'single' });
    await deploy([]);

    expect(await liveNames()).toEqual(['of-file', 'one', 'two']);
  });

  it('is refused over a function that a file of the functions folder owns', async () => {
    for (const refused of [await plan([action('of-file')]), await deploy([action('of-file')])]) {
      expect(refused.status).toBe(400);
      expect(refused.body.error.code).toBe('invalid_request');
      expect(refused.body.error.message).toContain('acme/actions/of-file.ts');
    }
  });

  it('survives a restart, which compares the functions folder with what is live', async () => {
    await deploy([action('one')]);

    await hub.server.restart();
    await hub.deploy({ 'actions/after.ts': actionSource('return 2;') });

    expect((await hub.action('one')).body).toBe('pushed');
    await removeFunction(hub.server.workspace, 'acme/actions/after.ts');
    await waitFor(async () => !(await liveNames()).includes('after'), { what: 'the end of the file' });
  });

  it('lets one environment have one at a time', async () => {
    const many = Array.from({ length: 30 }, (_, index) => action(`many-${index}`));

    const responses = await Promise.all([deploy(many), deploy(many), deploy(many)]);

    const codes = responses.map(({ status, body: response }) => (status === 200 ? 200 : response.error.code));
    expect(codes.filter((code) => code === 200)).toHaveLength(1);
    expect(codes.filter((code) => code === 'concurrent_deployment')).toHaveLength(2);
  });

  it.each([
    ['a model without schema', { ...sync('x'), models: ['Other'] }, 'deploy_missing_json_schema_model'],
    ['a sync without frequency', { ...sync('x'), runs: null }, 'missing_required_fields_on_deploy'],
    ['a sync that runs too often', { ...sync('x'), runs: 'every 29s' }, 'sync_interval_too_short'],
    ['a sync that runs who knows when', { ...sync('x'), runs: 'every 2 months' }, 'sync_interval_invalid'],
    ['an unknown member', { ...action('x'), more: 1 }, 'invalid_body'],
  ])('refuses %s', async (_, flow, code) => {
    const { status, body: response } = await deploy([flow]);

    expect([status, response.error.code]).toEqual([400, code]);
  });

  it.each(['every 1 week', 'every 1.5 hours', 'every 2 years', 'every half hour'])(
    'takes a sync that runs %s',
    async (runs) => {
      expect((await deploy([{ ...sync('often'), runs }])).status).toBe(200);
    },
  );

  it('refuses command lines that send other bodies', async () => {
    const send = (version: string) =>
      hub.call('POST', '/sync/deploy/confirmation', {
        body: body([], { deployMode: 'single' }),
        headers: { 'user-agent': `nango-cli/${version} (linux; node.js/24)` },
      });

    expect((await send('0.39.24')).body.error.code).toBe('invalid_cli_version');
    expect((await send('0.39.25')).status).toBe(200);
    expect((await send('1.0.0')).status).toBe(200);
  });
});

describe('DELETE /integrations/{k}/functions/{name}', () => {
  it('removes what was deployed on its own, and refuses what a project owns', async () => {
    await deploy([action('of-project')], { deployMode: 'single' });
    await deploy([action('alone')], { deployMode: 'single', source: 'standalone' });
    const remove = (name: string) => hub.call('DELETE', `/integrations/acme/functions/${name}?type=action`);

    expect((await remove('of-project')).body.error.code).toBe('function_managed_by_deploy');
    expect((await remove('alone')).body).toEqual({ data: { success: true } });
    expect(await liveNames()).not.toContain('alone');
  });
});
