// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.maven.internal;

import java.io.File;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.eclipse.aether.RepositorySystem;
import org.eclipse.aether.RepositorySystemSession;
import org.eclipse.aether.artifact.Artifact;
import org.eclipse.aether.artifact.DefaultArtifact;
import org.eclipse.aether.collection.CollectRequest;
import org.eclipse.aether.graph.Dependency;
import org.eclipse.aether.graph.DependencyNode;
import org.eclipse.aether.repository.RemoteRepository;
import org.eclipse.aether.resolution.ArtifactDescriptorException;
import org.eclipse.aether.resolution.ArtifactDescriptorRequest;
import org.eclipse.aether.resolution.ArtifactDescriptorResult;
import org.eclipse.aether.resolution.ArtifactRequest;
import org.eclipse.aether.resolution.ArtifactResolutionException;
import org.eclipse.aether.resolution.DependencyRequest;
import org.eclipse.aether.resolution.DependencyResolutionException;

/**
 * The artifacts of Coxswain with what they need at run time, as Maven resolves them for a project. Not the
 * dependencies of the plug-in: Maven would leave out those that it has itself, such as SLF4J.
 *
 * <p>Thread rule: any thread; calls block.
 */
final class RuntimeJars {

  private static final String GROUP = "dev.coxswain";

  private final RepositorySystem system;
  private final RepositorySystemSession session;
  private final List<RemoteRepository> remotes;
  private final String version;

  RuntimeJars(
      RepositorySystem system,
      RepositorySystemSession session,
      List<RemoteRepository> remotes,
      String version) {
    this.system = system;
    this.session = session;
    this.remotes = List.copyOf(remotes);
    this.version = version;
  }

  /** Returns the jar of an artifact, then those of its dependencies in the order of a class path, by their names. */
  Map<String, File> of(String name)
      throws ArtifactDescriptorException, DependencyResolutionException {
    Artifact artifact = new DefaultArtifact(GROUP, name, "jar", version);
    ArtifactDescriptorResult pom =
        system.readArtifactDescriptor(
            session, new ArtifactDescriptorRequest(artifact, remotes, null));
    CollectRequest request = new CollectRequest();
    request.setRepositories(remotes);
    request.setManagedDependencies(pom.getManagedDependencies());
    request.addDependency(new Dependency(artifact, "runtime"));
    for (Dependency dependency : pom.getDependencies()) {
      if (!dependency.isOptional()
          && List.of("compile", "runtime").contains(dependency.getScope())) {
        request.addDependency(dependency);
      }
    }
    Map<String, File> jars = new LinkedHashMap<>();
    DependencyNode root =
        system.resolveDependencies(session, new DependencyRequest(request, null)).getRoot();
    add(root, jars);
    return jars;
  }

  /** Returns the bill of materials of the runtime, which not each repository has. */
  Optional<File> billOfMaterials() {
    Artifact bill = new DefaultArtifact(GROUP, "coxswain-host", "cyclonedx", "json", version);
    try {
      return Optional.of(
          system
              .resolveArtifact(session, new ArtifactRequest(bill, remotes, null))
              .getArtifact()
              .getFile());
    } catch (ArtifactResolutionException e) {
      return Optional.empty();
    }
  }

  /** Each one before those that it needs, as Maven orders them. */
  private static void add(DependencyNode node, Map<String, File> jars) {
    Artifact artifact = node.getArtifact();
    if (artifact != null) {
      List<String> parts =
          new ArrayList<>(List.of(artifact.getArtifactId(), artifact.getBaseVersion()));
      if (!artifact.getClassifier().isEmpty()) {
        parts.add(artifact.getClassifier());
      }
      jars.putIfAbsent(String.join("-", parts) + ".jar", artifact.getFile());
    }
    node.getChildren().forEach(child -> add(child, jars));
  }
}
