/** The drawing's own units; it is stretched to the available space. */
export const SPARK_WIDTH = 100;
export const SPARK_HEIGHT = 32;
/** Keeps the line's thickness inside the drawing. */
const INSET = 2;

export interface SparklinePath {
  /** The line, in pieces where a value is missing. */
  line: string;
  /** The step to a last value that is still growing. */
  openEnd: string;
  /** The area between the line and zero. */
  area: string;
  /** The last value, as a path of no length; empty without one. */
  end: string;
}

/**
 * Returns the paths of a line over equally spaced values, from zero to `max`. A missing value (null) leaves a
 * gap. `isLastPartial` keeps the step to the last value separate from the line.
 */
export function sparklinePath(
  values: readonly (number | null)[],
  max: number,
  isLastPartial: boolean,
): SparklinePath {
  const top = max > 0 ? max : 1;
  const step = values.length > 1 ? SPARK_WIDTH / (values.length - 1) : 0;
  const points = values.map((value, index) => {
    if (value === null) return null;
    const height = (Math.min(value, top) / top) * (SPARK_HEIGHT - 2 * INSET);
    return {
      x: round(values.length > 1 ? index * step : SPARK_WIDTH),
      y: round(SPARK_HEIGHT - INSET - height),
    };
  });
  const last = points.at(-1) ?? null;
  const before = points.at(-2) ?? null;
  const isOpen = isLastPartial && last !== null && before !== null;
  const pieces = toPieces(points);
  return {
    line: toPieces(isOpen ? points.slice(0, -1) : points)
      .map(toLine)
      .join(''),
    openEnd: isOpen ? toLine([before, last]) : '',
    area: pieces
      .filter((piece) => piece.length > 1)
      .map(toArea)
      .join(''),
    end: last === null ? '' : `M${last.x} ${last.y}h0`,
  };
}

interface Point {
  x: number;
  y: number;
}

/** Returns the runs of neighbours that have a value. */
function toPieces(points: readonly (Point | null)[]): Point[][] {
  const pieces: Point[][] = [[]];
  for (const point of points) {
    if (point === null) pieces.push([]);
    else pieces.at(-1)?.push(point);
  }
  return pieces.filter((piece) => piece.length > 0);
}

function toLine(piece: readonly Point[]): string {
  const [first, ...rest] = piece;
  if (!first) return '';
  // A lone value is a dot: round ends draw one for a line without length.
  return `M${first.x} ${first.y}${rest.length === 0 ? 'h0' : rest.map(({ x, y }) => `L${x} ${y}`).join('')}`;
}

function toArea(piece: readonly Point[]): string {
  return `${toLine(piece)}V${SPARK_HEIGHT}H${piece[0]?.x ?? 0}Z`;
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
