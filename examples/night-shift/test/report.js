/** One line for each test, the same with every version of Node. */
export default async function* report(events) {
  for await (const { type, data } of events) {
    if (type === 'test:pass') yield `ok       ${data.name}\n`;
    if (type === 'test:fail') yield `FAILED   ${data.name}: ${reasonOf(data.details.error)}\n`;
  }
}

function reasonOf({ cause }) {
  return 'expected' in cause ? `expected ${cause.expected}, got ${cause.actual}` : cause.message;
}
