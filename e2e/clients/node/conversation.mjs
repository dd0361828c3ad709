// One conversation with an MCP server behind tool search, the same for every client: which steps, and what must come back.
// Each step prints one JSON line {"step", "ok", "detail"}; the process fails when one did not succeed.

export const five = ['search_tools', 'describe_tools', 'call_read_tool', 'call_read_tools', 'call_write_tool'];

export function textOf(result) {
  return (result.content ?? []).filter((c) => c.type === 'text').map((c) => c.text).join('\n');
}

export function check(condition, problem) {
  if (!condition) throw new Error(problem);
}

function has(text, part) {
  check(text.includes(part), `${JSON.stringify(part)} is not in ${JSON.stringify(text.slice(0, 600))}`);
}

export class Conversation {
  failed = 0;

  // client is an adapter of one SDK; plan says what to ask for (see the Go type Plan in e2e).
  constructor(client, plan) {
    this.client = client;
    this.plan = plan;
  }

  async step(name, run) {
    const line = { step: name, ok: true, detail: '' };
    try {
      line.detail = String((await run()) ?? '');
    } catch (error) {
      line.ok = false;
      line.detail = String(error?.stack ?? error);
      this.failed += 1;
    }
    console.log(JSON.stringify(line));
  }

  // call runs a tool through one of the call tools, or by its own name when there is no tool search in front.
  call(door, name, args, options) {
    return this.plan.bare
      ? this.client.callTool(name, args ?? {}, options)
      : this.client.callTool(door, { name, ...(args === undefined ? {} : { arguments: args }) }, options);
  }

  async run() {
    if (this.plan.tools) await this.tools(this.plan.tools);
    if (this.plan.features) await this.features();
    await this.step('close', () => this.client.close());
    return this.failed;
  }

  async tools(plan) {
    await this.step('instructions', () => {
      has(this.client.instructions() ?? '', 'search_tools');
    });
    await this.step('tools/list', async () => {
      const names = (await this.client.listTools()).map((t) => t.name);
      check(JSON.stringify(names) === JSON.stringify(five), `listed ${names}`);
    });
    await this.step('search', async () => {
      const result = await this.client.callTool('search_tools', { query: plan.query });
      check(!result.isError, textOf(result));
      has(textOf(result), plan.finds);
    });
    await this.step('describe', async () => {
      const result = await this.client.callTool('describe_tools', { names: [plan.finds] });
      check(!result.isError, textOf(result));
      has(textOf(result), plan.finds);
      has(textOf(result), 'inputSchema');
    });
    await this.step('read', () => this.succeeds('call_read_tool', plan.read));
    await this.step('batch', async () => {
      const calls = plan.batch.map(({ name, arguments: args }) => ({ name, arguments: args }));
      const result = await this.client.callTool('call_read_tools', { calls });
      for (const item of plan.batch) has(textOf(result), item.has);
    });
    if (plan.write) await this.step('write', () => this.succeeds('call_write_tool', plan.write));
    await this.step('a write through the read door is refused', async () => {
      const result = await this.client.callTool('call_read_tool', { name: plan.writeTool, arguments: {} });
      check(result.isError, 'it was not refused');
      has(textOf(result), 'call_write_tool');
    });
    await this.step('an unknown tool is refused', async () => {
      const result = await this.client.callTool('call_read_tool', { name: plan.absent, arguments: {} });
      check(result.isError, 'it was not refused');
      has(textOf(result), 'search_tools');
    });
    if (plan.bad) {
      await this.step('bad arguments are refused with their faults', async () => {
        const result = await this.client.callTool('call_write_tool', { name: plan.bad.name, arguments: plan.bad.arguments });
        check(result.isError, 'they were not refused');
        has(textOf(result), plan.bad.has);
      });
    }
    await this.step('a direct call is refused with the tool to use', async () => {
      const result = await this.client.callTool(plan.read.name, {});
      check(result.isError, 'it was not refused');
      has(textOf(result), 'call_read_tool');
    });
    await this.step('a direct call of nothing is a protocol error', async () => {
      const error = await this.client.callTool(plan.absent, {}).then(() => null, (e) => e);
      check(error?.code === -32602, `answered with ${error}`);
    });
  }

  async succeeds(door, item) {
    const result = await this.call(door, item.name, item.arguments);
    check(!result.isError, textOf(result));
    has(textOf(result), item.has);
  }

  async features() {
    await this.promptsAndResources();
    await this.step('logging', async () => {
      const lines = await this.client.collectLogs(() => this.call('call_read_tool', 'log_three_lines'));
      check(lines.length === 3, `${lines.length} lines arrived: ${JSON.stringify(lines)}`);
    });
    await this.step('progress', async () => {
      const seen = [];
      const options = { onprogress: (p) => seen.push(p.progress) };
      const result = await this.call('call_read_tool', 'count_up', { steps: 5, pause_ms: 20 }, options);
      has(textOf(result), 'counted to 5');
      check(seen.join() === '1,2,3,4,5', `progress ${seen}`);
    });
    await this.step('a picture', async () => {
      const result = await this.call('call_read_tool', 'show_picture');
      const picture = result.content.find((c) => c.type === 'image');
      check(picture?.mimeType === 'image/png' && picture.data.startsWith('iVBOR'), JSON.stringify(result));
    });
    await this.step("a tool's own failure", async () => {
      const result = await this.call('call_read_tool', 'always_fail');
      check(result.isError, 'no error');
      has(textOf(result), 'this tool always fails');
    });
    await this.step('elicitation', async () => has(textOf(await this.call('call_write_tool', 'ask_user_name')), 'accept: Hello, Ada!'));
    await this.step('sampling', async () => has(textOf(await this.call('call_write_tool', 'ask_model')), 'the model says: Paris'));
    await this.step('subscription', async () => {
      const uri = await this.client.firstUpdate('note://today', () => this.call('call_write_tool', 'touch_note'));
      check(uri === 'note://today', `updated: ${uri}`);
    });
    await this.step('cancellation', async () => {
      const abort = new AbortController();
      const options = { signal: abort.signal, onprogress: () => abort.abort('enough') };
      const outcome = await this.call('call_read_tool', 'wait_for_cancel', {}, options).then(textOf, () => 'cancelled');
      check(outcome === 'cancelled', outcome);
    });
  }

  async promptsAndResources() {
    await this.step('prompts/list', async () => {
      const names = (await this.client.sdk.listPrompts()).prompts.map((p) => p.name);
      check(names.includes('greeting'), `listed ${names}`);
    });
    await this.step('prompts/get', async () => {
      const prompt = await this.client.sdk.getPrompt({ name: 'greeting', arguments: { who: 'Ada' } });
      check(prompt.messages[0].content.text === 'Greet Ada', JSON.stringify(prompt));
    });
    await this.step('resources/list', async () => {
      const uris = (await this.client.sdk.listResources()).resources.map((r) => r.uri);
      check(uris.includes('note://today'), `listed ${uris}`);
    });
    await this.step('resources/templates/list', async () => {
      const templates = (await this.client.sdk.listResourceTemplates()).resourceTemplates.map((t) => t.uriTemplate);
      check(templates.includes('note://{day}'), `listed ${templates}`);
    });
    await this.step('resources/read', async () => {
      const read = await this.client.sdk.readResource({ uri: 'note://tomorrow' });
      check(read.contents[0].text === 'the note at note://tomorrow', JSON.stringify(read));
    });
    await this.step('completion', async () => {
      const ref = { type: 'ref/prompt', name: 'greeting' };
      const answer = await this.client.sdk.complete({ ref, argument: { name: 'who', value: 'a' } });
      check(answer.completion.values.join() === 'Ada,Alan', JSON.stringify(answer));
    });
  }
}

// within fails when a promise takes longer than this many seconds.
export function within(seconds, what, promise) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`not within ${seconds} s: ${what}`)), seconds * 1000);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

// answers to what a server asks the client.
export const elicited = { action: 'accept', content: { name: 'Ada' } };
export const sampled = { model: 'none', role: 'assistant', stopReason: 'endTurn', content: { type: 'text', text: 'Paris' } };
