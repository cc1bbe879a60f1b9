/** Thrown while a rule is read: something the user has to put right in it. It never leaves the reader of rule files. */
export class WrongRule extends Error {
  override readonly name = 'WrongRule';
}
