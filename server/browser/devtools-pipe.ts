import type { Readable, Writable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';

/** Longest message of the browser: what a page makes it say is not trusted to be short. */
const MESSAGE_CHARACTERS_MAX = 8 * 1024 * 1024;

/** A message that the browser sends without being asked. */
export interface DevtoolsEvent {
  method: string;
  params: Record<string, unknown>;
}

interface Message {
  id?: number;
  method?: string;
  params?: Record<string, unknown>;
  result?: Record<string, unknown>;
  error?: { message: string };
}

interface Waiting {
  resolve(result: Record<string, unknown>): void;
  reject(error: Error): void;
}

/** The browser's DevTools over its pipe: no other process of the machine can connect to it. */
export class DevtoolsPipe {
  private readonly output: Writable;
  private readonly waiting = new Map<number, Waiting>();
  private readonly listeners = new Set<(event: DevtoolsEvent) => void>();
  private lastId = 0;
  private failure: Error | null = null;

  constructor(output: Writable, input: Readable) {
    this.output = output;
    // A browser that has ended closes its end; what waits is refused by `fail`.
    output.on('error', (error) => this.fail(error));
    input.on('error', (error) => this.fail(error));
    input.on('close', () => this.fail(new Error('the browser has ended')));
    const decoder = new StringDecoder('utf8');
    let buffered = '';
    input.on('data', (chunk: Buffer) => {
      buffered += decoder.write(chunk);
      const messages = buffered.split('\0');
      buffered = messages.pop() ?? '';
      if (buffered.length > MESSAGE_CHARACTERS_MAX) {
        input.destroy();
        this.fail(new Error('a message of the browser is too long'));
        return;
      }
      for (const message of messages) this.receive(message);
    });
  }

  /** Calls a method of the browser, or of a page with its session, and returns the result. @throws once the browser is gone */
  send(
    method: string,
    params: Record<string, unknown> = {},
    sessionId?: string,
  ): Promise<Record<string, unknown>> {
    if (this.failure) return Promise.reject(this.failure);
    this.lastId += 1;
    const id = this.lastId;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      this.output.write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
    });
  }

  /** Hands over every event from now on. */
  onEvent(listener: (event: DevtoolsEvent) => void): void {
    this.listeners.add(listener);
  }

  /** Refuses whatever waits, now and later. */
  fail(error: Error): void {
    this.failure ??= error;
    for (const { reject } of this.waiting.values()) reject(this.failure);
    this.waiting.clear();
  }

  private receive(text: string): void {
    let message: Message;
    try {
      message = JSON.parse(text);
    } catch {
      this.fail(new Error('the browser sent invalid JSON'));
      return;
    }
    if (message.id !== undefined) {
      const waiting = this.waiting.get(message.id);
      this.waiting.delete(message.id);
      if (message.error) waiting?.reject(new Error(message.error.message));
      else waiting?.resolve(message.result ?? {});
      return;
    }
    if (message.method === undefined) return;
    const event = { method: message.method, params: message.params ?? {} };
    for (const listener of this.listeners) listener(event);
  }
}
