import type { FromSupervisor, Part, ToSupervisor } from './messages.ts';
import type { ProcessSlot } from './process-slot.ts';

type Relayed = Extract<ToSupervisor, { type: 'tell' | 'ask' | 'answer' | 'status' }>;
type Reply = (message: FromSupervisor) => void;

interface Question {
  /** The asker's own id. */
  id: number;
  reply: Reply;
  waiting: Set<ProcessSlot>;
}

/** Passes on the messages of processes without reading them. */
export class Relay {
  private slots: readonly ProcessSlot[] = [];
  private readonly questions = new Map<number, Question>();
  private asked = 0;

  /** Between which processes. */
  connect(slots: readonly ProcessSlot[]): void {
    this.slots = slots;
  }

  take(from: ProcessSlot, message: Relayed, reply: Reply): void {
    switch (message.type) {
      case 'tell': {
        const { subject, body } = message;
        for (const slot of this.others(from, message.to)) slot.tell({ type: 'told', subject, body });
        return;
      }
      case 'ask':
        this.ask(from, message, reply);
        return;
      case 'answer': {
        const question = this.questions.get(message.id);
        if (!question?.waiting.has(from)) return;
        question.reply({ type: 'answer', id: question.id, from: from.plan.name, answer: message.answer });
        this.endWaiting(message.id, question, from);
        return;
      }
      case 'status':
        reply({ type: 'status', id: message.id, processes: this.slots.map((slot) => slot.status) });
    }
  }

  /** A process has ended: its responses are no longer awaited. */
  giveUp(gone: ProcessSlot): void {
    for (const [id, question] of this.questions) {
      if (!question.waiting.has(gone)) continue;
      const response = { error: 'it ended' };
      question.reply({ type: 'answer', id: question.id, from: gone.plan.name, answer: response });
      this.endWaiting(id, question, gone);
    }
  }

  private ask(from: ProcessSlot, message: Extract<Relayed, { type: 'ask' }>, reply: Reply): void {
    const { subject, body } = message;
    this.asked += 1;
    const id = this.asked;
    const reached = this.others(from, message.to).filter((slot) =>
      slot.ask({ type: 'asked', id, subject, body }),
    );
    reply({ type: 'asking', id: message.id, names: reached.map((slot) => slot.plan.name) });
    if (reached.length > 0) this.questions.set(id, { id: message.id, reply, waiting: new Set(reached) });
  }

  private endWaiting(id: number, question: Question, slot: ProcessSlot): void {
    question.waiting.delete(slot);
    if (question.waiting.size === 0) this.questions.delete(id);
  }

  private others(from: ProcessSlot, to: Part | 'all'): ProcessSlot[] {
    return this.slots.filter((slot) => slot !== from && (to === 'all' || slot.plan.parts.includes(to)));
  }
}
