export { createTestPerson, joinOrganization, type TestPerson } from './test-person.ts';
