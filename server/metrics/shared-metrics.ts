import {
  Counter,
  type CounterConfiguration,
  Histogram,
  type HistogramConfiguration,
  type Registry,
} from 'prom-client';

/** Returns one counter for all parts of a process that count in it, whichever comes first. */
export function sharedCounter<L extends string>(
  registry: Registry,
  configuration: Pick<CounterConfiguration<L>, 'name' | 'help' | 'labelNames'>,
): Counter<L> {
  const known = registry.getSingleMetric(configuration.name);
  if (known instanceof Counter) return known;
  return new Counter({ ...configuration, registers: [registry] });
}

/** Returns one histogram for all parts of a process that measure in it, whichever comes first. */
export function sharedHistogram<L extends string>(
  registry: Registry,
  configuration: Pick<HistogramConfiguration<L>, 'name' | 'help' | 'labelNames' | 'buckets'>,
): Histogram<L> {
  const known = registry.getSingleMetric(configuration.name);
  if (known instanceof Histogram) return known;
  return new Histogram({ ...configuration, registers: [registry] });
}
