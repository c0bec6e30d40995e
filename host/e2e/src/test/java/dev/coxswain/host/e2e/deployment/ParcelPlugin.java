// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.e2e.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.host.e2e.process.Distribution;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * The releases of an operator whose parcels go from v1alpha1 to v1, as jars. In v1alpha1 a parcel has a weight
 * with a unit. In v1 it has grams, and may have an insurance, for which v1alpha1 has no field.
 */
enum ParcelPlugin {

  /** Only v1alpha1. */
  FORMER("stored = true, served = true", "", "Former"),

  /** v1 is not served yet, but every replica converts. */
  HIDDEN("stored = true, served = true", "stored = false, served = false", "Former"),

  /** v1 is served and stored, and reconciled. */
  SERVED("stored = false, served = true", "stored = true, served = true", "Parcel"),

  /** Only v1. */
  ALONE("", "stored = true, served = true", "Parcel");

  private static final String HEAD =
      """
      package parcels;

      import dev.coxswain.controller.*;
      import dev.coxswain.k8s.Kubernetes;
      import dev.coxswain.k8s.resource.*;
      import dev.coxswain.k8s.schema.CustomResource;
      import dev.coxswain.k8s.source.Predicates;
      import dev.coxswain.k8s.webhook.*;
      import dev.coxswain.reconcile.Result;
      import java.util.*;

      public final class ParcelController implements ControllerDefinition@WEBHOOKS@ {
        public String name() { return "parcels"; }

        public Controller<?> create(ControllerEnvironment environment) {
          Kubernetes k8s = environment.get(Kubernetes.class);
          var parcels = k8s.resource(@RECONCILED@.class);
          var cache = k8s.kind(@RECONCILED@.class).filter(Predicates.generationChanged()).toSource();
          return Controller.named(name()).watches(cache).reconciles((request, context) -> {
            cache.get(request).ifPresent(found -> parcels.modifyStatus(request, now ->
                now.status = new Status(found.getMetadata().getGeneration(), found.weighed())));
            return Result.done();
          });
        }

        public record Status(Long generation, Integer grams) {}
      """;

  private static final String FORMER_VERSION =
      """
        @KubernetesResource(group = "shop.example.com", version = "v1alpha1", plural = "parcels", kind = "Parcel")
        @CustomResource(@FORMER@)
        public static final class Former extends CustomObject {
          public Spec spec;
          public Status status;
          public record Spec(String weight, String note) {}
          Integer weighed() { return Integer.valueOf(spec.weight().replace("g", "")); }
        }
      """;

  private static final String VERSION =
      """
        @KubernetesResource(group = "shop.example.com", version = "v1", plural = "parcels", kind = "Parcel")
        @CustomResource(@PARCEL@)
        public static final class Parcel extends CustomObject {
          public Spec spec;
          public Status status;
          public record Spec(Integer grams, String note, String insurance) {}
          Integer weighed() { return spec.grams(); }
        }
      """;

  private static final String CONVERSION =
      """
        private static final String INSURANCE = "shop.example.com/insurance";

        public void webhooks(Webhooks webhooks, ControllerEnvironment environment) {
          webhooks.converting(Former.class, Parcel.class, ParcelController::upgrade, ParcelController::downgrade);
        }

        static Parcel upgrade(Former former) {
          Parcel parcel = new Parcel();
          parcel.setMetadata(former.getMetadata());
          Map<String, String> annotations = parcel.getMetadata().getAnnotations();
          String insurance = annotations == null ? null : annotations.remove(INSURANCE);
          parcel.spec = new Parcel.Spec(former.weighed(), former.spec.note(), insurance);
          parcel.status = former.status;
          return parcel;
        }

        /** v1alpha1 has no field for the insurance, so an annotation keeps it. */
        static Former downgrade(Parcel parcel) {
          Former former = new Former();
          former.setMetadata(parcel.getMetadata());
          if (parcel.spec.insurance() != null) {
            former.getMetadata().putAnnotationsItem(INSURANCE, parcel.spec.insurance());
          }
          former.spec = new Former.Spec(parcel.spec.grams() + "g", parcel.spec.note());
          former.status = parcel.status;
          return former;
        }
      """;

  private final String former;
  private final String parcel;
  private final String reconciled;

  ParcelPlugin(String former, String parcel, String reconciled) {
    this.former = former;
    this.parcel = parcel;
    this.reconciled = reconciled;
  }

  /** Returns whether its replicas convert. */
  boolean converts() {
    return !former.isEmpty() && !parcel.isEmpty();
  }

  /** Returns the version of the operator. */
  String version() {
    return "1." + ordinal() + ".0";
  }

  private String source() {
    return (HEAD
            + (former.isEmpty() ? "" : FORMER_VERSION)
            + (parcel.isEmpty() ? "" : VERSION)
            + (converts() ? CONVERSION : "")
            + "}\n")
        .replace("@WEBHOOKS@", converts() ? ", WebhookDefinition" : "")
        .replace("@RECONCILED@", reconciled)
        .replace("@FORMER@", former)
        .replace("@PARCEL@", parcel);
  }

  /** Compiles it, and returns its jar. */
  Path jar(Path parent) throws Exception {
    Path folder = Files.createDirectory(parent.resolve("parcels-" + version()));
    Path classes = Files.createDirectories(folder.resolve("classes/META-INF/services"));
    Files.writeString(
        classes.resolve("dev.coxswain.controller.ControllerDefinition"),
        "parcels.ParcelController\n");
    Path source = Files.writeString(folder.resolve("ParcelController.java"), source());
    JavaCompiler compiler = Objects.requireNonNull(ToolProvider.getSystemJavaCompiler());
    StringWriter printed = new StringWriter();
    try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
      List<String> options =
          List.of(
              "-classpath",
              System.getProperty("java.class.path"),
              "-d",
              folder.resolve("classes").toString(),
              "-proc:none");
      assertThat(
              compiler
                  .getTask(printed, files, null, options, null, files.getJavaFileObjects(source))
                  .call())
          .as(printed.toString())
          .isTrue();
    }
    Path jar = folder.resolve("parcels.jar");
    Distribution.program(
        folder,
        Path.of(System.getProperty("java.home"), "bin", "jar").toString(),
        "--create",
        "--file=" + jar,
        "-C",
        folder.resolve("classes").toString(),
        ".");
    return jar;
  }
}
