// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.authoring.crd;

import dev.coxswain.k8s.resource.KubernetesResource;
import io.kubernetes.client.common.KubernetesObject;
import java.io.IOException;
import java.lang.classfile.Attributes;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * Finds the classes with a {@link KubernetesResource} annotation in a folder of classes or a jar, without
 * loading the others.
 *
 * <p>Thread rule: any thread; blocks.
 */
public final class ResourceClasses {

  private static final String ANNOTATION = KubernetesResource.class.descriptorString();

  private ResourceClasses() {}

  /**
   * Returns the annotated classes, by name.
   *
   * @param place a folder of classes or a jar
   * @param loader loads what is in it
   * @throws IOException when it cannot be read
   * @throws IllegalArgumentException when an annotated class cannot be loaded, or is no Kubernetes
   *     object
   */
  public static List<Class<? extends KubernetesObject>> in(Path place, ClassLoader loader)
      throws IOException {
    List<Class<? extends KubernetesObject>> found = new ArrayList<>();
    for (ClassModel model : models(place)) {
      if (annotated(model)) {
        found.add(load(model.thisClass().asInternalName().replace('/', '.'), loader));
      }
    }
    return found;
  }

  /**
   * Returns what is known of all classes of a place, by name.
   *
   * @throws IOException when it cannot be read
   */
  public static List<ClassModel> models(Path place) throws IOException {
    if (Files.isDirectory(place)) {
      return modelsBelow(place);
    }
    try (FileSystem jar = FileSystems.newFileSystem(place)) {
      return modelsBelow(jar.getPath("/"));
    }
  }

  private static List<ClassModel> modelsBelow(Path root) throws IOException {
    List<ClassModel> models = new ArrayList<>();
    try (Stream<Path> files = Files.walk(root)) {
      for (Path file : files.filter(ResourceClasses::isClass).sorted().toList()) {
        models.add(ClassFile.of().parse(Files.readAllBytes(file)));
      }
    }
    return models;
  }

  private static boolean isClass(Path file) {
    return file.toString().endsWith(".class") && !file.toString().endsWith("-info.class");
  }

  private static boolean annotated(ClassModel model) {
    return model.findAttribute(Attributes.runtimeVisibleAnnotations()).stream()
        .flatMap(all -> all.annotations().stream())
        .anyMatch(one -> one.className().equalsString(ANNOTATION));
  }

  private static Class<? extends KubernetesObject> load(String name, ClassLoader loader) {
    try {
      return Class.forName(name, false, loader).asSubclass(KubernetesObject.class);
    } catch (ClassNotFoundException | LinkageError e) {
      throw new IllegalArgumentException("class " + name + " cannot be loaded: " + e, e);
    } catch (ClassCastException e) {
      throw new IllegalArgumentException(
          "class " + name + " has @KubernetesResource and is no KubernetesObject", e);
    }
  }
}
