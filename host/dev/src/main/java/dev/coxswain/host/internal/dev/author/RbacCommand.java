// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.dev.author;

import dev.coxswain.authoring.rbac.ControllerRights;
import dev.coxswain.authoring.rbac.RoleManifests;
import dev.coxswain.ctl.internal.cli.Arguments;
import dev.coxswain.ctl.internal.cli.CommandException;
import dev.coxswain.ctl.internal.cli.Flag;
import dev.coxswain.ctl.internal.cli.Suggestions;
import dev.coxswain.host.internal.cli.AddedCommand;
import dev.coxswain.host.internal.cli.CommandLine;
import dev.coxswain.host.internal.cli.RunCommand;
import dev.coxswain.host.internal.config.CoxswainConfiguration;
import dev.coxswain.host.internal.config.reader.ConfigurationException;
import dev.coxswain.host.internal.jvm.StallLimit;
import dev.coxswain.host.internal.lifecycle.HostException;
import java.io.IOException;
import java.util.List;

/**
 * {@code coxswain rbac}: the rights that controllers need. They are built once, against an API server
 * in memory that has their custom resources and no objects.
 */
public final class RbacCommand implements AddedCommand {

  private static final Flag NAMESPACE = Flag.of("--namespace", "NAME", "");
  private static final Flag VALUES = Flag.alone("--values", "");
  private static final List<String> ACTIONS = List.of("generate");

  /** Creates the command; called by the service loader. */
  public RbacCommand() {}

  @Override
  public String name() {
    return "rbac";
  }

  @Override
  public int run(List<String> arguments) throws HostException, ConfigurationException {
    Arguments parsed =
        Arguments.parse(
            arguments,
            List.of(
                AuthorClasses.CLASSES,
                NAMESPACE,
                VALUES,
                RunCommand.CONFIG,
                RunCommand.SET,
                StallLimit.FLAG));
    if (!parsed.words().equals(ACTIONS)) {
      throw new CommandException(
          "rbac needs an action, " + Suggestions.of(String.join(" ", parsed.words()), ACTIONS));
    }
    CoxswainConfiguration configuration = AuthorRights.configuration(parsed);
    List<ControllerRights> rights;
    try (AuthorClasses classes = AuthorClasses.of(parsed)) {
      rights = AuthorRights.of(classes, configuration, StallLimit.of(parsed)).controllers();
    } catch (IOException e) {
      throw new HostException("the classes cannot be read: " + e, e);
    } catch (IllegalArgumentException e) {
      throw new HostException(String.valueOf(e.getMessage()), e);
    }
    String namespace = parsed.value(NAMESPACE, "");
    System.out.print(
        parsed.on(VALUES)
            ? RoleManifests.chartValues(rights)
            : namespace.isEmpty()
                ? RoleManifests.clusterRoles(rights)
                : RoleManifests.roles(rights, namespace));
    return CommandLine.OK;
  }
}
