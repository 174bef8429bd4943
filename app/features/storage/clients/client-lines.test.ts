import { expect, it } from 'vitest';
import { endpointForPrograms } from './client-lines.ts';

it.each([
  ['http://s3.localhost:9000', 'http://localhost:9000'],
  ['http://localhost:9000', 'http://localhost:9000'],
  ['https://s3.example.ca', 'https://s3.example.ca'],
  ['https://localhost.example.ca:8443', 'https://localhost.example.ca:8443'],
])('programs are given an address that they can resolve: %s', (s3Url, endpoint) => {
  expect(endpointForPrograms(s3Url)).toBe(endpoint);
});
