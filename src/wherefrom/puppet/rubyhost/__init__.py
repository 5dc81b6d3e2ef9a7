"""Puppet's side of Ruby: what templates, functions, types and data backends of modules find when they run.

`wherefrom.ruby` runs the language and knows nothing of Puppet; the modules here give it a world:

| module      | what it is                                                                                       |
|-------------|--------------------------------------------------------------------------------------------------|
| `library`   | which Ruby files an environment has, found by name and compiled once                             |
| `run`       | Ruby in one compilation: an interpreter, the call that is being made, what was read meanwhile    |
| `values`    | Puppet's values as Ruby sees them, and the way back                                              |
| `scope`     | `scope`, `catalog`, `compiler`, resources: narrow objects with closed tables of methods          |
| `namespace` | `Puppet`, `Puppet::Util`, `Puppet::Pops::Types`, `Facter`: the constants that modules name       |
| `functions` | `Puppet::Functions.create_function`: dispatch by types                                           |
| `legacy`    | `Puppet::Parser::Functions.newfunction`: functions of the old interface                          |
| `templates` | ERB                                                                                              |
| `kinds`     | `Puppet::Type.newtype` and `Puppet::ResourceApi.register_type`: the attributes of resource types |
| `datatypes` | `Puppet::DataTypes.create_type`: types of objects; `objects` is what the compiler sees of them   |
| `backends`  | data functions written in Ruby                                                                   |
| `moving`    | where the parts of what Ruby gives come from: origins follow the very objects                    |
| `changing`  | what Ruby changes in place, and who holds it                                                     |
| `alone`     | a call of Ruby done again, with nothing round it                                                 |

Everything that Ruby learns of Puppet comes through methods in these tables, and every one that reads something notes
the origin of what it read (`run.Reads`), so that what Ruby computes is an outcome of all of it.
"""
