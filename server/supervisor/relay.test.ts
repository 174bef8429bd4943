import { describe, expect, it } from 'vitest';
import type { FromSupervisor, Part } from './messages.ts';
import type { ProcessSlot } from './process-slot.ts';
import { Relay } from './relay.ts';

/** A process that remembers what it was sent. */
function fakeSlot(name: string, parts: Part[], { isReady = true } = {}) {
  const heard: FromSupervisor[] = [];
  const take = (message: FromSupervisor) => {
    if (isReady) heard.push(message);
    return isReady;
  };
  const status = { name, parts, isReady, starts: 1 };
  // The only parts of a slot that the relay uses.
  const slot = { plan: { name, parts }, status, tell: take, ask: take } as unknown as ProcessSlot;
  return { heard, slot };
}

function connect() {
  const console = fakeSlot('console', ['console']);
  const jobs = fakeSlot('jobs', ['jobs', 'housekeeper']);
  const edges = [fakeSlot('edge-1', ['edge']), fakeSlot('edge-2', ['edge'])];
  const relay = new Relay();
  relay.connect([console.slot, jobs.slot, ...edges.map(({ slot }) => slot)]);
  return { relay, console, jobs, edges };
}

describe('what passes through the supervisor', () => {
  it('reaches every process that has the part, and no other', () => {
    const { relay, console, jobs, edges } = connect();
    relay.take(console.slot, { type: 'tell', to: 'edge', subject: 's', body: 1 }, () => undefined);
    for (const { heard } of edges) expect(heard).toEqual([{ type: 'told', subject: 's', body: 1 }]);
    expect([...console.heard, ...jobs.heard]).toEqual([]);
  });

  it('names who will answer, and passes each response to the one who asked', () => {
    const { relay, jobs, edges } = connect();
    const replies: FromSupervisor[] = [];
    const [asker] = edges;
    if (!asker) throw new Error('no edge');
    const question = { type: 'ask', id: 7, to: 'housekeeper', subject: 's', body: 1 } as const;
    relay.take(asker.slot, question, (reply) => replies.push(reply));
    const asked = jobs.heard.find((message) => message.type === 'asked');
    relay.take(jobs.slot, { type: 'answer', id: asked?.id ?? 0, answer: { body: 'done' } }, () => undefined);
    // Nothing waits for a second response.
    relay.take(jobs.slot, { type: 'answer', id: asked?.id ?? 0, answer: { body: 'again' } }, () => undefined);
    expect(replies).toEqual([
      { type: 'asking', id: 7, names: ['jobs'] },
      { type: 'answer', id: 7, from: 'jobs', answer: { body: 'done' } },
    ]);
  });

  it('is answered for a process that ends first', () => {
    const { relay, console, jobs } = connect();
    const replies: FromSupervisor[] = [];
    const question = { type: 'ask', id: 1, to: 'housekeeper', subject: 's', body: 1 } as const;
    relay.take(console.slot, question, (reply) => replies.push(reply));
    relay.giveUp(jobs.slot);
    relay.giveUp(jobs.slot);
    expect(replies.slice(1)).toEqual([
      { type: 'answer', id: 1, from: 'jobs', answer: { error: 'it ended' } },
    ]);
  });

  it('reports that there is no response when no process is ready', () => {
    const edge = fakeSlot('edge-1', ['edge']);
    const relay = new Relay();
    relay.connect([edge.slot, fakeSlot('jobs', ['housekeeper'], { isReady: false }).slot]);
    const replies: FromSupervisor[] = [];
    const question = { type: 'ask', id: 1, to: 'all', subject: 's', body: 1 } as const;
    relay.take(edge.slot, question, (reply) => replies.push(reply));
    expect(replies).toEqual([{ type: 'asking', id: 1, names: [] }]);
  });
});
