# Fixed points: values defined in terms of themselves, and layers put over them.
{ lib }:
rec {
  # The least fixed point of a function: what it gives when it is given its own result.
  fix = f: let result = f result; in result;

  # Like `fix`, for sets; the function that made it can be found again as `__unfix__`.
  fixWithSource = f: let result = f result // { __unfix__ = f; }; in result;

  # One layer over a recursive set. `layer` sees the final set and the set below it.
  extends = layer: base: final:
    let below = base final;
    in below // layer final below;

  # Two layers as one; the second lies over the first.
  composeExtensions = first: second: final: below:
    let
      fromFirst = first final below;
      middle = below // fromFirst;
    in fromFirst // second final middle;

  # Many layers as one, the first of the list lowest.
  composeManyExtensions = lib.foldr composeExtensions (final: below: { });

  # A set that can be extended with layers afterwards.
  makeExtensible = makeExtensibleWithName "extend";

  makeExtensibleWithName = name: base:
    fixWithSource (final:
      base final // {
        ${name} = layer: makeExtensibleWithName name (extends layer base);
      });

  # Apply `f` until the value does not change any more.
  converge = f: value:
    let next = f value;
    in if next == value then value else converge f next;

  # Apply `f` until the value does not change, but at most `fuel` times.
  convergeWithin = fuel: f: value:
    if fuel <= 0 then throw "convergeWithin: no fixed point within the given number of steps"
    else
      let next = f value;
      in if next == value then value else convergeWithin (fuel - 1) f next;

  # `n` times `f`.
  iterate = n: f: value: lib.foldl' (acc: _: f acc) value (lib.range 1 n);

  # A set of functions that may call each other, tied with one knot.
  mutual = functions: let tied = lib.mapAttrs (_: f: f tied) functions; in tied;
}
