import { isInTransaction } from '#db/transaction.ts';

/** Returns the same port, whose functions fail inside a transaction: a lock would be held for as long as others take to answer. */
export function outsideTransactions<T extends object>(name: string, port: T): T {
  return new Proxy(port, {
    get(target, property) {
      const value: unknown = Reflect.get(target, property, target);
      if (typeof value !== 'function') return value;
      return (...given: unknown[]): unknown => {
        if (isInTransaction()) throw new Error(`${name}.${String(property)} was called inside a transaction`);
        return Reflect.apply(value, target, given);
      };
    },
  });
}
