# Compiles catalogs with real Puppet and stores them, and facts, by way of PuppetDB's own terminus.
#
#   ruby puppetdb.rb ENVIRONMENT SETTINGS-DIRECTORY SERVER-URL < requests
#
# SETTINGS-DIRECTORY holds `ssl` as an agent has it. A request is a line of JSON: `node`, `facts`. Requests are taken in
# their order, so that a later node collects what an earlier one exported. The answer is a line of JSON for each.
require 'json'
library = ENV['WHEREFROM_PUPPETDB']
$LOAD_PATH.unshift(File.join(library, 'usr/lib/ruby/vendor_ruby')) if library
require 'puppet'
require 'puppet/application/apply'

environment, directory, server = ARGV
name = File.basename(File.expand_path(environment))
File.write(File.join(directory, 'puppetdb.conf'), "[main]\nserver_urls = #{server}\nserver_url_timeout = 240\nsoft_write_failure = false\n")
Puppet.initialize_settings([
  '--confdir', directory, '--vardir', File.join(directory, 'var'), '--ssldir', File.join(directory, 'ssl'),
  '--certname', 'wherefrom', '--certificate_revocation', 'false', '--environmentpath', File.dirname(File.expand_path(environment)),
  '--environment', name, '--storeconfigs', '--storeconfigs_backend', 'puppetdb', '--logdir', File.join(directory, 'log')
])
Puppet::Util::Log.level = :err
Puppet::Util::Log.newdestination(:console)
Puppet.push_context({ ssl_context: Puppet::SSL::SSLProvider.new.load_context(certname: 'wherefrom', revocation: false) }, 'tests')
env = Puppet.lookup(:environments).get!(name)
Puppet.override(current_environment: env, loaders: Puppet::Pops::Loaders.new(env)) do
  $stdin.each_line do |line|
    request = JSON.parse(line)
    answer = {}
    begin
      facts = Puppet::Node::Facts.new(request['node'], request['facts'].merge('clientcert' => request['node']))
      facts.add_timestamp
      node = Puppet::Node.new(request['node'], facts: facts, environment: env)
      node.merge(facts.values)
      trusted = Puppet::Context::TrustedInformation.new('local', request['node'], {})
      node.trusted_data = trusted.to_h
      Puppet.override(trusted_information: trusted) do
        Puppet::Node::Facts.indirection.terminus(:puppetdb).save(
          Puppet::Indirector::Request.new(:facts, :save, request['node'], facts, environment: env)
        )
        catalog = Puppet::Parser::Compiler.compile(node)
        Puppet::Resource::Catalog.indirection.terminus(:puppetdb).save(
          Puppet::Indirector::Request.new(:catalog, :save, request['node'], catalog, environment: env)
        )
      end
      answer['ok'] = true
    rescue StandardError => problem
      answer = { 'ok' => false, 'message' => problem.message }
    end
    puts JSON.generate(answer)
    $stdout.flush
  end
end
