import { z } from 'zod';

/** Whether a value is of the declared type. */
type Test = (value: unknown) => boolean;

const TESTS: Record<string, Test> = {
  string: (value) => typeof value === 'string',
  number: (value) => Number.isFinite(value),
};

/**
 * Returns the schema of a list of flat rows: equivalent to `z.array(row)`, but fast enough for tens of thousands of
 * rows. A list whose rows all have exactly the declared columns is returned as it is, because copying the rows and
 * collecting the garbage afterwards takes several times as long as checking them. Any other list is parsed by zod,
 * which drops undeclared columns and rejects wrong values.
 * @throws TypeError for columns other than strings and numbers (or null), or with checks of their own
 */
export function rowsOf<T extends z.ZodObject>(row: T): z.ZodArray<T> {
  const rows = z.array(row);
  const isRow = rowTest(Object.entries(row.shape).map(([name, column]) => [name, columnTest(name, column)]));
  const parse = rows._zod.run;
  rows._zod.run = (payload, context) =>
    Array.isArray(payload.value) && payload.value.every(isRow) ? payload : parse(payload, context);
  return rows;
}

function columnTest(name: string, column: unknown): Test {
  if (column instanceof z.ZodNullable) {
    const test = columnTest(name, column.unwrap());
    return (value) => value === null || test(value);
  }
  const test = column instanceof z.ZodType ? TESTS[column.def.type] : undefined;
  if (!(column instanceof z.ZodType) || test === undefined || column.def.checks?.length) {
    throw new TypeError(`${name} is no plain string or number`);
  }
  return test;
}

function rowTest(columns: readonly (readonly [string, Test])[]): Test {
  return (row) => {
    if (typeof row !== 'object' || row === null || Object.keys(row).length !== columns.length) return false;
    for (const [name, test] of columns) if (!test(row[name as keyof typeof row])) return false;
    return true;
  };
}
