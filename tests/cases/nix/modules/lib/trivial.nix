# Small functions that every other file uses.
{ lib }:
rec {
  id = x: x;
  const = x: _: x;
  flip = f: a: b: f b a;
  pipe = builtins.foldl' (x: f: f x);
  concat = a: b: a ++ b;
  or' = a: b: a || b;
  and' = a: b: a && b;
  xor = a: b: (!a) != (!b);
  not = a: !a;
  mergeAttrs = a: b: a // b;
  compose = f: g: x: f (g x);

  boolToString = b: if b then "true" else "false";
  boolToYesNo = b: if b then "yes" else "no";
  defaultTo = default: maybe: if maybe != null then maybe else default;
  mapNullable = f: maybe: if maybe == null then null else f maybe;

  min = a: b: if a < b then a else b;
  max = a: b: if a > b then a else b;
  clamp = low: high: value: max low (min high value);
  mod = base: divisor: base - divisor * (builtins.div base divisor);
  abs = x: if x < 0 then -x else x;
  gcd = a: b: if b == 0 then abs a else gcd b (mod a b);
  lcm = a: b: if a == 0 || b == 0 then 0 else abs (a * b) / gcd a b;
  pow = base: exponent:
    if exponent == 0 then 1
    else if mod exponent 2 == 0 then pow (base * base) (exponent / 2)
    else base * pow base (exponent - 1);
  isEven = n: mod n 2 == 0;
  isOdd = n: !(isEven n);

  # -1, 0 or 1.
  compare = a: b: if a < b then -1 else if a > b then 1 else 0;

  # Things for which `p` holds come first, ordered by `yes`; the others after them, by `no`.
  splitByAndCompare = p: yes: no: a: b:
    if p a
    then if p b then yes a b else -1
    else if p b then 1 else no a b;

  # Digits of a number in another base, most significant first.
  toBaseDigits = base: number:
    let
      go = rest:
        if rest < base then [ rest ]
        else [ (rest - base * (rest / base)) ] ++ go (rest / base);
    in
      assert base >= 2;
      assert number >= 0;
      lib.reverseList (go number);

  hexDigits = [ "0" "1" "2" "3" "4" "5" "6" "7" "8" "9" "a" "b" "c" "d" "e" "f" ];
  toHex = number: lib.concatMapStrings (digit: builtins.elemAt hexDigits digit) (toBaseDigits 16 number);
  toBinary = number: lib.concatMapStrings toString (toBaseDigits 2 number);
  fromBaseDigits = base: builtins.foldl' (acc: digit: acc * base + digit) 0;

  # Functions with known arguments, also when they are sets with `__functor`.
  setFunctionArgs = f: args: {
    __functor = self: f;
    __functionArgs = args;
  };
  functionArgs = f:
    if f ? __functor
    then f.__functionArgs or (functionArgs (f.__functor f))
    else builtins.functionArgs f;
  isFunction = f: builtins.isFunction f || (f ? __functor && isFunction (f.__functor f));
  toFunction = value: if isFunction value then value else _: value;

  # Call a function with those of the given attributes that it asks for.
  callWith = scope: f: overrides:
    let wanted = builtins.intersectAttrs (functionArgs f) scope;
    in f (wanted // overrides);

  importIfPath = value: if builtins.isPath value || builtins.isString value then import value else value;

  # The path of a file with this content, which may refer to packages: a derivation that writes it.
  writeText = name: text: (derivation {
    inherit name text;
    system = "x86_64-linux";
    builder = "/bin/sh";
    args = [ "-c" "cp $textPath $out" ];
    passAsFile = [ "text" ];
  }).outPath;

  throwIf = condition: message: value: if condition then throw message else value;
  throwIfNot = condition: throwIf (!condition);
  checkOneOf = name: allowed: value:
    throwIfNot (builtins.elem value allowed)
      "${name}: expected one of ${lib.concatMapStringsSep ", " toString allowed}, found ${toString value}"
      value;
}
